import { v7 as uuidV7 } from "uuid";
import { type AuditEntry, completeAudit, recordAudit } from "#lib/audit/record.ts";
import { type Actor, visibleTo } from "#lib/auth/actor.ts";
import { authorize } from "#lib/auth/permissions.ts";
import { appDatabase } from "#lib/db/app.ts";
import { inTransaction, type Queryable } from "#lib/db/database.ts";
import { exampleData, readFields } from "#lib/delivery/catalogue.ts";
import { type Classification, classify } from "#lib/delivery/classify.ts";
import { headerPairs } from "#lib/delivery/header-value.ts";
import { classifyResponse } from "#lib/delivery/response-rules.ts";
import { templateSource } from "#lib/endpoints/check-content.ts";
import { selectEndpoint } from "#lib/endpoints/queries.ts";
import type { Endpoint } from "#lib/endpoints/schema.ts";
import { existing, invalidField, Problem } from "#lib/errors.ts";
import { selectEventTypes } from "#lib/event-types/queries.ts";
import { selectEvent } from "#lib/events/queries.ts";
import type { AttemptRequest } from "#lib/http/attempt-request.ts";
import type { Sent } from "#lib/http/send.ts";
import { loadEventTypeRules } from "#lib/queue/event-type-rules.ts";
import { type Content, type EndpointSettings, type EventBody, loadEndpoints } from "#lib/queue/load.ts";
import { type Rendering, renderPostback } from "#lib/queue/rendering.ts";
import type { Masker } from "#lib/redaction/mask.ts";
import { maskerFor, maskTest } from "#lib/redaction/masked.ts";
import { inSlot, liveTests } from "./live.ts";
import { lockTests, selectRecentTests } from "./queries.ts";
import type { EndpointTest, EndpointTestRequest } from "./schema.ts";

const maxPerMinute = 30;
const mask = "••••••";
/** What stands for the id that only a delivery has. */
const noDeliveryId = "0";

/**
 * Shows what an endpoint would be sent for an event and, if `live`, sends it once from here, whatever the endpoint's
 * status, breaker and limits. Leaves nothing behind but its line in the audit log. 404 without the endpoint; 409 when
 * the event's data have been purged; 422 names an event or type that is not the endpoint's; 429 past the limits.
 */
export async function testEndpoint(
  actor: Actor,
  id: string,
  request: EndpointTestRequest,
): Promise<EndpointTest> {
  authorize(actor, "endpoint.test");
  const endpoint = existing(visibleTo(actor, await selectEndpoint(appDatabase().orm, id)), "endpoint");
  const run = () => runTest(actor, endpoint, request);
  return request.live ? inSlot(run) : run();
}

type Made = Exclude<AttemptRequest, { errorCode: string }>;

async function runTest(
  actor: Actor,
  endpoint: Endpoint,
  request: EndpointTestRequest,
): Promise<EndpointTest> {
  const { orm, pool } = appDatabase();
  const { nowMs } = await selectRecentTests(pool, endpoint.id);
  const event = await eventOf(endpoint, { ...request, nowMs });
  const masker = request.event_id === undefined ? null : await maskerOf(actor, event);
  const content = await contentOf(endpoint, event);
  const entry = (after: Record<string, unknown> = {}): AuditEntry => ({
    action: "endpoint.test",
    objectKind: "endpoint",
    objectId: endpoint.id,
    affiliateId: endpoint.affiliate.id,
    after: { live: request.live, event_type: event.type, ...after },
  });
  if ("end" in content) {
    const why = content.end.state === "skipped" ? "skipped" : "failed";
    await recordAudit(orm, actor, entry({ [why]: content.end.reason }));
    return { ...nothing, [why]: content.end.reason };
  }

  const settings = existing((await loadEndpoints(pool, [endpoint.id])).get(endpoint.id), "endpoint");
  const made = liveTests().makeRequest({
    endpoint: settings,
    eventId: event.id,
    attemptNumber: 1,
    content,
    timestampSeconds: Math.floor(nowMs / 1_000),
  });
  if ("errorCode" in made) {
    const { reason } = classify(made);
    await recordAudit(orm, actor, entry({ failed: reason }));
    return { ...nothing, ...(reason === null ? {} : { failed: reason }) };
  }
  made.headers.push("posthorn-test", "true");
  const shown = { ...nothing, request: shownRequest(made, { content, settings }) };
  if (!request.live) {
    await recordAudit(orm, actor, entry());
    return masker ? maskTest(shown, masker) : shown;
  }
  const { shownUrl: _, ...sendable } = made;
  const auditId = await inTransaction(appDatabase(), async (tx) => {
    await refuseTooMany(tx.client, endpoint);
    return recordAudit(tx.orm, actor, entry());
  });
  const sent = await liveTests().sender.send({ ...sendable, timeoutMs: settings.timeoutMs });
  await completeAudit(orm, auditId, {
    ...(sent.ok ? { status: sent.status } : { error_code: sent.errorCode }),
    duration_ms: Math.round(sent.timings.totalMs),
  });
  const answered = { ...shown, ...answerOf(sent, settings) };
  return masker ? maskTest(answered, masker) : answered;
}

/** A named event's values are masked as anywhere; the catalogue's examples are nobody's. */
async function maskerOf(actor: Actor, { type, data }: EventBody): Promise<Masker | null> {
  const rules = await loadEventTypeRules(appDatabase().pool, [type]);
  return maskerFor(actor, { fields: rules.get(type)?.fields ?? null, dataText: data.toString("utf8") });
}

const nothing = { request: null, response: null, error: null, duration_ms: null, delivered: null };

/** Of the tests of one endpoint each is in the log, where it is counted, before the next one is judged. */
async function refuseTooMany(db: Queryable, endpoint: Endpoint): Promise<void> {
  await lockTests(db, endpoint.id);
  const { count, nextInSeconds } = await selectRecentTests(db, endpoint.id);
  if (count < maxPerMinute) return;
  throw new Problem(
    "too_many_requests",
    `An endpoint may be tested live at most ${maxPerMinute} times a minute`,
    [],
    { retryAfterSeconds: Math.max(1, nextInSeconds) },
  );
}

/**
 * The event to test with. Its id is new each time, so that a receiver that knows the named event, or an earlier test,
 * does not take this for a repeat of it.
 */
async function eventOf(
  endpoint: Endpoint,
  { event_id, type, nowMs }: EndpointTestRequest & { nowMs: number },
): Promise<EventBody> {
  const id = `test_${uuidV7()}`;
  if (event_id !== undefined) return { ...(await namedEvent(endpoint, event_id)), id };
  const name = type ?? endpoint.event_types?.[0] ?? (await firstOfCatalogue());
  refuseUnsubscribed(endpoint, { type: name, field: "type" });
  const rules = (await loadEventTypeRules(appDatabase().pool, [name])).get(name);
  if (!rules) throw invalidField("type", "is not in the catalogue of event types");
  return { id, type: name, occurredAt: new Date(nowMs), data: Buffer.from(exampleData(rules.fields)) };
}

async function namedEvent(endpoint: Endpoint, eventId: string): Promise<Omit<EventBody, "id">> {
  const found = await selectEvent(appDatabase().orm, eventId);
  if (found?.event.affiliate.id !== endpoint.affiliate.id) {
    throw invalidField("event_id", "is no event of the endpoint's affiliate");
  }
  const { event, data } = found;
  refuseUnsubscribed(endpoint, { type: event.type, field: "event_id" });
  if (data === null) throw new Problem("body_purged", "The event's data has been purged");
  return { type: event.type, occurredAt: new Date(event.occurred_at), data };
}

async function firstOfCatalogue(): Promise<string> {
  const { data } = await selectEventTypes(appDatabase().orm, { limit: 1 });
  const [first] = data;
  if (!first) throw invalidField("type", "is needed: the catalogue of event types is empty");
  return first.name;
}

function refuseUnsubscribed(
  { event_types }: Endpoint,
  { type, field }: { type: string; field: "type" | "event_id" },
): void {
  if (event_types === null || event_types.includes(type)) return;
  throw invalidField(
    field,
    `${field === "type" ? "is" : "is of"} an event type that the endpoint does not get`,
  );
}

/** As the fan-out makes it, but for the filters, which say nothing about the request. */
async function contentOf(
  endpoint: Endpoint,
  event: EventBody,
): Promise<Content | Extract<Rendering, { request: null }>> {
  if (endpoint.kind === "webhook") return { kind: "webhook", event };
  const rules = (await loadEventTypeRules(appDatabase().pool, [event.type])).get(event.type);
  const rendering = renderPostback(templateSource(endpoint), {
    values: readFields(event.data.toString("utf8"), rules?.fields ?? []),
    event: { id: event.id, type: event.type, occurredAtMs: event.occurredAt.getTime() },
    deliveryId: noDeliveryId,
    affiliateId: endpoint.affiliate.id,
  });
  return rendering.request === null ? rendering : { kind: "postback", request: rendering.request };
}

/** The endpoint's own headers are the only ones of their names: Posthorn's cannot be given. */
function shownRequest(
  { method, shownUrl: url, headers, body }: Made,
  { content, settings }: { content: Content; settings: EndpointSettings },
): EndpointTest["request"] {
  const own = new Set(settings.headerNames);
  return {
    method,
    url,
    headers: headerPairs(headers).map(([name, value]) => [name, own.has(name) ? mask : value]),
    body: content.kind === "postback" ? content.request.body : (body?.toString("utf8") ?? null),
  };
}

function answerOf(
  sent: Sent,
  { responseRules }: EndpointSettings,
): Pick<EndpointTest, "response" | "error" | "duration_ms" | "delivered"> {
  const judged: Classification = sent.ok
    ? classifyResponse(sent, responseRules)
    : classify({ errorCode: sent.errorCode });
  return {
    response: sent.ok
      ? {
          status: sent.status,
          headers: headerPairs(sent.headers),
          body: sent.body.toString("utf8"),
          body_truncated: sent.bodyTruncated,
        }
      : null,
    error: sent.ok || judged.reason === null ? null : { code: sent.errorCode, reason: judged.reason },
    duration_ms: Math.round(sent.timings.totalMs),
    delivered: judged.outcome === "delivered",
  };
}
