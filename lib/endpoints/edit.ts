import { invalidInput } from "#lib/api/issues.ts";
import { changedFields, recordAudit } from "#lib/audit/record.ts";
import type { Actor } from "#lib/auth/actor.ts";
import type { Orm, Transaction } from "#lib/db/database.ts";
import { invalidField } from "#lib/errors.ts";
import { keepEventTypes } from "#lib/event-types/queries.ts";
import { changeHealth, probeNext } from "#lib/queue/health.ts";
import type { EndpointKind } from "#lib/vocabulary.ts";
import { checkContent, type EndpointContent } from "./check-content.ts";
import {
  type EndpointSettings,
  type LockedEndpoint,
  resetBucket,
  updateEndpointSettings,
} from "./queries.ts";
import { type EndpointEdit, maxWebhookUrl } from "./schema.ts";
import { editSealed } from "./sealed.ts";

type Sealing = NonNullable<ReturnType<typeof editSealed>>;

/** An edit that was checked against the endpoint as it is: what is stored of it, and what the audit log says. */
export type PlannedEdit = {
  settings: EndpointSettings;
  newHeaders: Sealing | null;
  newSecrets: Sealing | null;
};

/** What the edit would make of the endpoint, whose row is locked. 422 names what is wrong. */
export async function planEdit(
  orm: Orm,
  { id, endpoint, edit }: { id: string; endpoint: LockedEndpoint; edit: EndpointEdit },
): Promise<PlannedEdit> {
  const { kind, settings, sealed } = endpoint;
  refuseOtherKind(kind, edit);
  const newHeaders = edit.headers
    ? editSealed(sealed.headers, edit.headers, { endpointId: id, ...headerEdits })
    : null;
  const newSecrets = edit.macro_secrets
    ? editSealed(sealed.macroSecrets, edit.macro_secrets, { endpointId: id, ...macroSecretEdits })
    : null;
  const content = await editedContent(orm, edit, {
    kind,
    settings,
    secretNames: (newSecrets?.stored ?? sealed.macroSecrets).names,
  });
  return {
    settings: {
      name: edit.name ?? settings.name,
      ...content,
      timeout_ms: edit.timeout_ms ?? settings.timeout_ms,
      retry: edit.retry ?? settings.retry,
      concurrency: edit.concurrency ?? settings.concurrency,
      ordering: edit.ordering ?? settings.ordering,
      rate_limit: edit.rate_limit === undefined ? settings.rate_limit : edit.rate_limit,
      response_rules: edit.response_rules ?? settings.response_rules,
    },
    newHeaders,
    newSecrets,
  };
}

/** Stores a planned edit in the transaction that planned it; nothing where it changes nothing. */
export async function applyEdit(
  { client, orm }: Transaction,
  actor: Actor,
  { id, endpoint, planned }: { id: string; endpoint: LockedEndpoint; planned: PlannedEdit },
): Promise<void> {
  const { affiliateId, settings, sealed } = endpoint;
  const { newHeaders, newSecrets } = planned;
  const changes = changedFields(settings, planned.settings);
  if (!changes && !newHeaders && !newSecrets) return;
  await updateEndpointSettings(orm, id, {
    settings: planned.settings,
    sealed: {
      headers: newHeaders?.stored ?? sealed.headers,
      macroSecrets: newSecrets?.stored ?? sealed.macroSecrets,
    },
  });
  const target = changes?.after.url !== undefined || changes?.after.postback !== undefined;
  await editHealth({ client, orm }, id, {
    rate: changes?.after.rate_limit !== undefined,
    target: target || Boolean(newHeaders || newSecrets),
  });
  await recordAudit(orm, actor, {
    action: "endpoint.edit",
    objectKind: "endpoint",
    objectId: id,
    affiliateId,
    before: { ...changes?.before, ...newHeaders?.audit.before, ...newSecrets?.audit.before },
    after: { ...changes?.after, ...newHeaders?.audit.after, ...newSecrets?.audit.after },
  });
}

const headerEdits = {
  field: "headers",
  isSame: (a: string, b: string) => a.toLowerCase() === b.toLowerCase(),
};
const macroSecretEdits = { field: "macro_secrets", isSame: (a: string, b: string) => a === b };

/** A template is checked again with whatever it depends on: its event types, its filters, the names of its secrets. */
async function editedContent(
  orm: Orm,
  edit: EndpointEdit,
  { kind, settings, secretNames }: { kind: EndpointKind; settings: EndpointSettings; secretNames: string[] },
): Promise<EndpointContent> {
  const { url, postback, event_types, filters, macro_secrets } = edit;
  const kept = {
    url: settings.url,
    postback: settings.postback,
    event_types: settings.event_types,
    filters: settings.filters,
  };
  if ([url, postback, event_types, filters, macro_secrets].every((part) => part === undefined)) return kept;
  const content = {
    url: url ?? kept.url,
    postback: postback ?? kept.postback,
    event_types: event_types === undefined ? kept.event_types : await knownEventTypes(orm, event_types),
    filters: filters ?? kept.filters,
  };
  return checkContent(orm, content, { kind, secretNames });
}

function refuseOtherKind(kind: EndpointKind, edit: EndpointEdit): void {
  if (kind === "postback") {
    if (edit.event_types === null)
      throw invalidField("event_types", "must name what a postback's template is for");
    return;
  }
  if (edit.url !== undefined && edit.url.length > maxWebhookUrl)
    throw invalidField("url", `must have at most ${maxWebhookUrl} characters`);
  if (edit.postback) throw invalidField("postback", "is for endpoints of kind postback");
  if (edit.macro_secrets) throw invalidField("macro_secrets", "is for endpoints of kind postback");
}

/** What an edit means for the endpoint's gates. `target`: where its requests go, or what they carry. */
async function editHealth(
  { client, orm }: Transaction,
  id: string,
  changed: { rate: boolean; target: boolean },
): Promise<void> {
  if (changed.rate) await resetBucket(orm, id);
  else if (!changed.target) return;
  await changeHealth(client, id, (health, nowMs) => {
    if (!changed.target) return { health, transitions: [] };
    return probeNext(health, { nowMs, cause: "endpoint_changed" });
  });
}

/** Each name once; 422 names those that are not in the catalogue by their place. */
export async function knownEventTypes(orm: Orm, names: string[] | null): Promise<string[] | null> {
  if (names === null) return null;
  const known = await keepEventTypes(orm, names);
  const unknown = names.flatMap((name, place) => (known.has(name) ? [] : [place]));
  if (unknown.length > 0) {
    throw invalidInput(
      unknown.map((place) => ({
        field: `event_types.${place}`,
        message: "is not in the catalogue of event types",
      })),
    );
  }
  return [...new Set(names)];
}
