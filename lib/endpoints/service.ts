import { v7 as uuidV7 } from "uuid";
import { lockAffiliate } from "#lib/affiliates/queries.ts";
import type { Page } from "#lib/api/paging.ts";
import { recordAudit } from "#lib/audit/record.ts";
import { type Actor, visibleTo } from "#lib/auth/actor.ts";
import { authorize, can, isAffiliate } from "#lib/auth/permissions.ts";
import { appDatabase } from "#lib/db/app.ts";
import { inTransaction } from "#lib/db/database.ts";
import { noFailures } from "#lib/delivery/disabling.ts";
import { endPending, selectLatestChange } from "#lib/endpoint-changes/queries.ts";
import { needsApproval, requestChange } from "#lib/endpoint-changes/request.ts";
import { addSecret } from "#lib/endpoint-secrets/service.ts";
import { existing, invalidField, Problem } from "#lib/errors.ts";
import { changeHealth, probeNext } from "#lib/queue/health.ts";
import { renderWaiting as renderWaitingOf, type WaitingRendered } from "#lib/queue/render-again.ts";
import { wakeWorkers } from "#lib/queue/wake.ts";
import type { EndpointStatus } from "#lib/vocabulary.ts";
import { selectActivity } from "./activity.ts";
import { checkContent } from "./check-content.ts";
import { applyEdit, knownEventTypes, planEdit } from "./edit.ts";
import {
  type EndpointSettings,
  insertEndpoint,
  lockEndpoint,
  markEndpointDeleted,
  selectBacklog,
  selectEndpoint,
  selectEndpoints,
  updateEndpointStatus,
} from "./queries.ts";
import { retryPresets } from "./retry-presets.ts";
import type {
  Endpoint,
  EndpointCreate,
  EndpointCreated,
  EndpointDetail,
  EndpointEdit,
  EndpointEdited,
  EndpointListQuery,
  EndpointRenderWaiting,
  Postback,
} from "./schema.ts";
import { seal } from "./sealed.ts";

/** One page of endpoints that are not deleted, with what waits for each and its last 24 hours where asked for. */
export async function listEndpoints(actor: Actor, query: EndpointListQuery): Promise<Page<Endpoint>> {
  authorize(actor, "endpoint.read");
  const { orm, pool } = appDatabase();
  const page = await selectEndpoints(orm, { ...query, scope: actor.affiliateId });
  if (!query.activity || page.data.length === 0) return page;
  const activities = await selectActivity(
    pool,
    page.data.map(({ id }) => id),
  );
  const withActivity = (endpoint: Endpoint): Endpoint => {
    const activity = activities.get(endpoint.id);
    return activity ? { ...endpoint, activity } : endpoint;
  };
  return { ...page, data: page.data.map(withActivity) };
}

/** One endpoint with what waits for it; 404 when there is none, or it was deleted. */
export async function getEndpoint(actor: Actor, id: string): Promise<EndpointDetail> {
  authorize(actor, "endpoint.read");
  const { orm, pool } = appDatabase();
  const [endpoint, backlog, change] = await Promise.all([
    selectEndpoint(orm, id),
    selectBacklog(pool, id),
    selectLatestChange(orm, id),
  ]);
  return { ...existing(visibleTo(actor, endpoint), "endpoint"), backlog, change };
}

/** Makes an endpoint and its signing secret, which is answered this once. 422 names what does not exist. */
export async function createEndpoint(actor: Actor, input: EndpointCreate): Promise<EndpointCreated> {
  authorize(actor, "endpoint.create");
  const { kind } = input;
  return inTransaction(appDatabase(), async ({ orm }) => {
    const affiliate = await lockAffiliate(orm, input.affiliate, "share");
    if (!affiliate || can(actor, "endpoint.create", { affiliateId: affiliate.id }) !== null)
      throw invalidField("affiliate", "does not exist");
    const content = await checkContent(
      orm,
      {
        url: input.url,
        postback: kind === "postback" ? (input.postback ?? plainPostback) : null,
        event_types: await knownEventTypes(orm, input.event_types),
        filters: input.filters,
      },
      { kind, secretNames: input.macro_secrets.map(({ name }) => name) },
    );
    const settings: EndpointSettings = {
      name: input.name,
      ...content,
      timeout_ms: input.timeout_ms,
      retry: input.retry ?? (kind === "postback" ? retryPresets.patient : retryPresets.quick),
      concurrency: input.concurrency,
      ordering: input.ordering ?? (kind === "postback" ? "per_key" : "none"),
      rate_limit: input.rate_limit,
      response_rules: input.response_rules,
    };
    const id = uuidV7();
    const sealed = { headers: seal(input.headers, id), macroSecrets: seal(input.macro_secrets, id) };
    await insertEndpoint(orm, {
      id,
      affiliateId: affiliate.id,
      kind,
      statusChangedBy: actor.name,
      settings,
      sealed,
    });
    const secret = await addSecret(orm, id);
    await recordAudit(orm, actor, {
      action: "endpoint.create",
      objectKind: "endpoint",
      objectId: id,
      affiliateId: affiliate.id,
      after: { kind, ...settings, headers: sealed.headers.names, macro_secrets: sealed.macroSecrets.names },
    });
    return { ...existing(await selectEndpoint(orm, id), "endpoint"), secret };
  });
}

/**
 * Changes the fields that are given; the next claim sends by them, except that a postback's template holds for what is
 * made from now on. A new URL, or new headers or secrets, make the next delivery the breaker's probe. Where the deployment
 * asks for it, an affiliate's edit that would send to another host waits for the operators, and `change` is it.
 */
export async function editEndpoint(actor: Actor, id: string, edit: EndpointEdit): Promise<EndpointEdited> {
  authorize(actor, "endpoint.edit");
  const edited = await inTransaction(appDatabase(), async (tx) => {
    const endpoint = existing(await lockEndpoint(tx.orm, { id, scope: actor.affiliateId }), "endpoint");
    const planned = await planEdit(tx.orm, { id, endpoint, edit });
    const urls = { from: endpoint.settings.url, to: planned.settings.url };
    const waits = needsApproval(actor, urls);
    if (waits) {
      const { affiliateId } = endpoint;
      await requestChange(tx.orm, actor, {
        endpointId: id,
        affiliateId,
        fromUrl: urls.from,
        toUrl: urls.to,
        edit,
      });
    } else await applyEdit(tx, actor, { id, endpoint, planned });
    return {
      ...existing(await selectEndpoint(tx.orm, id), "endpoint"),
      change: waits ? await selectLatestChange(tx.orm, id) : null,
    };
  });
  wakeWorkers(appDatabase().pool);
  return edited;
}

const plainPostback: Postback = { method: "GET", content_type: null, body: null, sign: false };

/**
 * Renders again what waits for a postback endpoint, by its template as it is now: the next 100 after delivery `after`.
 * Call it until `next` is null. 422 for a webhook, which is made anew with every attempt.
 */
export async function renderWaiting(
  actor: Actor,
  id: string,
  { after }: EndpointRenderWaiting,
): Promise<WaitingRendered> {
  authorize(actor, "endpoint.render_waiting");
  return inTransaction(appDatabase(), async ({ client, orm }) => {
    const { affiliateId, kind } = existing(
      await lockEndpoint(orm, { id, scope: actor.affiliateId }),
      "endpoint",
    );
    if (kind !== "postback")
      throw invalidField("kind", "must be postback: a webhook is made anew with every attempt");
    const result = await renderWaitingOf(client, { endpointId: id, after });
    if (result.rendered > 0) {
      await recordAudit(orm, actor, {
        action: "endpoint.render_waiting",
        objectKind: "endpoint",
        objectId: id,
        affiliateId,
        after: { rendered: result.rendered, kept: result.kept, after },
      });
    }
    return result;
  });
}

/** Holds everything that waits for the endpoint; 409 unless it is active. */
export async function pauseEndpoint(actor: Actor, id: string): Promise<Endpoint> {
  authorize(actor, "endpoint.pause");
  return changeStatus(actor, id, "paused");
}

/** Lets an endpoint that is paused or disabled send again; 409 when it is active. 403 for an affiliate whom it bars. */
export async function resumeEndpoint(actor: Actor, id: string): Promise<Endpoint> {
  authorize(actor, "endpoint.resume");
  const endpoint = await changeStatus(actor, id, "active");
  wakeWorkers(appDatabase().pool);
  return endpoint;
}

/** What waits for it is discarded, a change of its host as well; its deliveries stay visible. */
export async function deleteEndpoint(actor: Actor, id: string): Promise<void> {
  authorize(actor, "endpoint.delete");
  await inTransaction(appDatabase(), async ({ client, orm }) => {
    const { affiliateId, settings } = existing(
      await lockEndpoint(orm, { id, scope: actor.affiliateId }),
      "endpoint",
    );
    await markEndpointDeleted(orm, id);
    // The edit may hold credentials, and nobody could decide it any more.
    await endPending(orm, id, { state: "withdrawn", by: actor.name });
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
    const before = existing(await lockEndpoint(orm, { id, scope: actor.affiliateId }), "endpoint");
    if (status === "active" ? before.status === "active" : before.status !== "active") {
      throw new Problem("wrong_status", `The endpoint is ${before.status} already`);
    }
    if (status === "active") authorize(actor, "endpoint.resume", before);
    await updateEndpointStatus(orm, id, { status, by: actor.name, byAffiliate: isAffiliate(actor) });
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
