import { v7 as uuidV7 } from "uuid";
import { lockAffiliate } from "#lib/affiliates/queries.ts";
import { invalidInput } from "#lib/api/issues.ts";
import type { Page } from "#lib/api/paging.ts";
import { changedFields, recordAudit } from "#lib/audit/record.ts";
import type { Actor } from "#lib/auth/actor.ts";
import { config } from "#lib/config.ts";
import { appDatabase } from "#lib/db/app.ts";
import { inTransaction, type Orm, type Transaction } from "#lib/db/database.ts";
import { noFailures } from "#lib/delivery/disabling.ts";
import { addSecret } from "#lib/endpoint-secrets/service.ts";
import { existing, invalidField, Problem } from "#lib/errors.ts";
import { keepEventTypes } from "#lib/event-types/queries.ts";
import { checkEndpointUrl } from "#lib/http/address-guard.ts";
import { changeHealth, probeNext } from "#lib/queue/health.ts";
import { wakeWorkers } from "#lib/queue/wake.ts";
import type { EndpointStatus } from "#lib/vocabulary.ts";
import { editHeaders, sealHeaders } from "./headers.ts";
import {
  insertEndpoint,
  lockEndpoint,
  markEndpointDeleted,
  resetBucket,
  selectBacklog,
  selectEndpoint,
  selectEndpoints,
  updateEndpointSettings,
  updateEndpointStatus,
} from "./queries.ts";
import type {
  Endpoint,
  EndpointCreate,
  EndpointCreated,
  EndpointDetail,
  EndpointEdit,
  EndpointListQuery,
} from "./schema.ts";

/** One page of endpoints that are not deleted, newest first. */
export async function listEndpoints(_actor: Actor, query: EndpointListQuery): Promise<Page<Endpoint>> {
  return selectEndpoints(appDatabase().orm, query);
}

/** One endpoint with what waits for it; 404 when there is none, or it was deleted. */
export async function getEndpoint(_actor: Actor, id: string): Promise<EndpointDetail> {
  const { orm, pool } = appDatabase();
  const [endpoint, backlog] = await Promise.all([selectEndpoint(orm, id), selectBacklog(pool, id)]);
  return { ...existing(endpoint, "endpoint"), backlog };
}

/** Makes an endpoint and its signing secret, which is answered this once. 422 names what does not exist. */
export async function createEndpoint(actor: Actor, input: EndpointCreate): Promise<EndpointCreated> {
  const url = sendableUrl(input.url);
  return inTransaction(appDatabase(), async ({ orm }) => {
    const affiliate = await lockAffiliate(orm, input.affiliate, "share");
    if (!affiliate) throw invalidField("affiliate", "does not exist");
    const settings = {
      name: input.name,
      url,
      event_types: await knownEventTypes(orm, input.event_types),
      timeout_ms: input.timeout_ms,
      retry: input.retry,
      concurrency: input.concurrency,
      ordering: input.ordering,
      rate_limit: input.rate_limit,
      response_rules: input.response_rules,
    };
    const id = uuidV7();
    const headers = sealHeaders(input.headers, id);
    await insertEndpoint(orm, {
      id,
      affiliateId: affiliate.id,
      statusChangedBy: actor.name,
      settings,
      headers,
    });
    const secret = await addSecret(orm, id);
    await recordAudit(orm, actor, {
      action: "endpoint.create",
      objectKind: "endpoint",
      objectId: id,
      affiliateId: affiliate.id,
      after: { ...settings, headers: headers.headerNames },
    });
    return { ...existing(await selectEndpoint(orm, id), "endpoint"), secret };
  });
}

/**
 * Changes the fields that are given; the next claim sends by them. A new URL, or new headers, make the next
 * delivery the breaker's probe.
 */
export async function editEndpoint(actor: Actor, id: string, edit: EndpointEdit): Promise<Endpoint> {
  const url = edit.url === undefined ? undefined : sendableUrl(edit.url);
  const endpoint = await inTransaction(appDatabase(), async ({ client, orm }) => {
    const { affiliateId, settings, headers } = existing(await lockEndpoint(orm, id), "endpoint");
    const edited = {
      name: edit.name ?? settings.name,
      url: url ?? settings.url,
      event_types:
        edit.event_types === undefined ? settings.event_types : await knownEventTypes(orm, edit.event_types),
      timeout_ms: edit.timeout_ms ?? settings.timeout_ms,
      retry: edit.retry ?? settings.retry,
      concurrency: edit.concurrency ?? settings.concurrency,
      ordering: edit.ordering ?? settings.ordering,
      rate_limit: edit.rate_limit === undefined ? settings.rate_limit : edit.rate_limit,
      response_rules: edit.response_rules ?? settings.response_rules,
    };
    const newHeaders = edit.headers === undefined ? null : editHeaders(headers, edit.headers, id);
    const changes = changedFields(settings, edited);
    if (changes || newHeaders) {
      await updateEndpointSettings(orm, id, { settings: edited, headers: newHeaders?.stored ?? headers });
      await editHealth({ client, orm }, id, {
        rate: changes?.after.rate_limit !== undefined,
        target: changes?.after.url !== undefined || newHeaders !== null,
      });
      await recordAudit(orm, actor, {
        action: "endpoint.edit",
        objectKind: "endpoint",
        objectId: id,
        affiliateId,
        before: { ...changes?.before, ...newHeaders?.audit.before },
        after: { ...changes?.after, ...newHeaders?.audit.after },
      });
    }
    return existing(await selectEndpoint(orm, id), "endpoint");
  });
  wakeWorkers(appDatabase().pool);
  return endpoint;
}

/** Holds everything that waits for the endpoint; 409 unless it is active. */
export async function pauseEndpoint(actor: Actor, id: string): Promise<Endpoint> {
  return changeStatus(actor, id, "paused");
}

/** Lets an endpoint that is paused or disabled send again; 409 when it is active. */
export async function resumeEndpoint(actor: Actor, id: string): Promise<Endpoint> {
  const endpoint = await changeStatus(actor, id, "active");
  wakeWorkers(appDatabase().pool);
  return endpoint;
}

/** What waits for it is discarded; its deliveries stay visible. */
export async function deleteEndpoint(actor: Actor, id: string): Promise<void> {
  await inTransaction(appDatabase(), async ({ client, orm }) => {
    const { affiliateId, settings } = existing(await lockEndpoint(orm, id), "endpoint");
    await markEndpointDeleted(orm, id);
    await changeHealth(client, id, (health) => ({ health, transitions: [] }));
    await recordAudit(orm, actor, {
      action: "endpoint.delete",
      objectKind: "endpoint",
      objectId: id,
      affiliateId,
      before: { name: settings.name, url: settings.url },
    });
  });
  wakeWorkers(appDatabase().pool);
}

async function changeStatus(actor: Actor, id: string, status: EndpointStatus): Promise<Endpoint> {
  return inTransaction(appDatabase(), async ({ client, orm }) => {
    const before = existing(await lockEndpoint(orm, id), "endpoint");
    if (status === "active" ? before.status === "active" : before.status !== "active") {
      throw new Problem("wrong_status", `The endpoint is ${before.status} already`);
    }
    await updateEndpointStatus(orm, id, { status, by: actor.name });
    await changeHealth(client, id, (health, nowMs) => {
      if (status !== "active") return { health, transitions: [] };
      const fresh = { ...health, catchingUp: true, failures: noFailures };
      return probeNext(fresh, { nowMs, cause: "resumed" });
    });
    await recordAudit(orm, actor, {
      action: status === "active" ? "endpoint.resume" : "endpoint.pause",
      objectKind: "endpoint",
      objectId: id,
      affiliateId: before.affiliateId,
      before: { status: before.status },
      after: { status },
    });
    return existing(await selectEndpoint(orm, id), "endpoint");
  });
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

/** As it is stored and sent; 422 with what is wrong. */
function sendableUrl(text: string): string {
  const { allowHttp, allowedSubnets } = config();
  const check = checkEndpointUrl(text, { allowHttp, allowedSubnets });
  if (!check.ok) throw invalidField("url", check.message);
  return check.url;
}

/** Each name once; 422 names those that are not in the catalogue by their place. */
async function knownEventTypes(orm: Orm, names: string[] | null): Promise<string[] | null> {
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
