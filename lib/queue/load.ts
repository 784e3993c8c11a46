import { plainArray, textArray } from "#lib/db/arrays.ts";
import type { Queryable } from "#lib/db/database.ts";
import type { ResponseRule } from "#lib/delivery/response-rules.ts";
import { maxValidSecrets } from "#lib/delivery/signature.ts";
import type { ClaimedRow } from "./claim.ts";
import type { FrozenRequest } from "./rendering.ts";

/** An endpoint's settings as they are now, read with every claim so that an edit holds from the next one on. */
export type EndpointSettings = {
  id: string;
  affiliateId: string;
  url: string;
  timeoutMs: number;
  maxAttempts: number;
  baseSeconds: number;
  capSeconds: number;
  concurrency: number;
  /** Of the endpoint's own headers; the values in the same order, encrypted, null without any. */
  headerNames: string[];
  headerValues: Buffer | null;
  responseRules: ResponseRule[];
  /** A GET postback ends in `sig=`. */
  signUrl: boolean;
  /** What `{secret.name}` stands for; stored as the headers are. */
  macroSecretNames: string[];
  macroSecretValues: Buffer | null;
  /** Those that sign now, the newest first. */
  secrets: { id: string; ciphertext: Buffer }[];
};

export type EventBody = { id: string; type: string; occurredAt: Date; data: Buffer };
/** What a delivery sends: its event as it is, or the request that was rendered of it. */
export type Content = { kind: "webhook"; event: EventBody } | { kind: "postback"; request: FrozenRequest };

/** What a claim needs besides its rows: one statement for the endpoints, and for each day of events one or two. */
export async function loadForSending(
  db: Queryable,
  rows: ClaimedRow[],
): Promise<{ endpoints: Map<string, EndpointSettings>; contentOf: (row: ClaimedRow) => Content | null }> {
  const [rendered, plain] = [rows.filter((row) => row.rendered), rows.filter((row) => !row.rendered)];
  const [endpoints, events, requests] = await Promise.all([
    loadEndpoints(db, [...new Set(rows.map((row) => row.endpointId))]),
    loadByDay(plain, (day, group) => loadBodies(db, day, [...new Set(group.map((row) => row.eventId))])),
    loadByDay(rendered, (day, group) =>
      loadRequests(
        db,
        day,
        group.map((row) => row.id),
      ),
    ),
  ]);
  const eventById = new Map(events.map((event) => [event.id, event]));
  const requestById = new Map(requests.map((request) => [request.deliveryId, request]));
  return {
    endpoints,
    contentOf: (row) => {
      if (row.rendered) {
        const request = requestById.get(row.id);
        return request ? { kind: "postback", request } : null;
      }
      const event = eventById.get(row.eventId);
      return event ? { kind: "webhook", event } : null;
    },
  };
}

/** By day, so that the server opens one or two partitions whatever its statistics say. */
async function loadByDay<T>(
  rows: ClaimedRow[],
  load: (day: Day, rows: ClaimedRow[]) => Promise<T[]>,
): Promise<T[]> {
  const days = await Promise.all(
    [...Map.groupBy(rows, (row) => row.eventDay)].map(([day, group]) =>
      load({ from: new Date(day * dayMs), to: new Date((day + 1) * dayMs) }, group),
    ),
  );
  return days.flat();
}

/** The settings of those that exist, deleted ones included. `valid` is the twin in SQL of lib/delivery/signature.ts' validSecrets; a test holds the two equal. */
export async function loadEndpoints(db: Queryable, ids: string[]): Promise<Map<string, EndpointSettings>> {
  const { rows } = await db.query<
    Omit<EndpointSettings, "secrets"> & { secretIds: string[]; ciphertexts: Buffer[] }
  >({
    name: "load_endpoints",
    text: `select e.id, e.affiliate_id as "affiliateId", e.url, e.timeout_ms as "timeoutMs", e.max_attempts as "maxAttempts",
        e.backoff_base_seconds as "baseSeconds", e.backoff_cap_seconds as "capSeconds", e.concurrency,
        e.header_names as "headerNames", e.header_values as "headerValues", e.response_rules as "responseRules",
        e.sign_url as "signUrl",
        e.macro_secret_names as "macroSecretNames", e.macro_secret_values as "macroSecretValues",
        s.ids as "secretIds", s.ciphertexts
      from posthorn.endpoints e, lateral (
        select coalesce(array_agg(id::text order by created_at desc, id desc), '{}') as ids,
          coalesce(array_agg(ciphertext order by created_at desc, id desc), '{}') as ciphertexts
        from (
          select id, ciphertext, created_at from posthorn.endpoint_secrets
          where endpoint_id = e.id and revoked_at is null and (expires_at is null or expires_at > now())
          order by created_at desc, id desc limit ${maxValidSecrets}) valid) s
      where e.id = any($1::uuid[])`,
    values: [ids],
  });
  return new Map(
    rows.map(({ secretIds, ciphertexts, ...endpoint }) => [
      endpoint.id,
      { ...endpoint, secrets: secretIds.map((id, i) => ({ id, ciphertext: ciphertexts[i] as Buffer })) },
    ]),
  );
}

type Day = { from: Date; to: Date };

async function loadBodies(db: Queryable, { from, to }: Day, eventIds: string[]): Promise<EventBody[]> {
  const { rows } = await db.query<{ event_id: string; type: string; occurred_ms: number; data: Buffer }>({
    name: "load_bodies",
    text: `select event_id, type, extract(epoch from occurred_at)::float8 * 1000 as occurred_ms, data from posthorn.event_bodies
      where received_at >= $1 and received_at < $2 and event_id = any($3::text[])`,
    values: [from, to, textArray(eventIds)],
  });
  return rows.map((row) => ({
    id: row.event_id,
    type: row.type,
    occurredAt: new Date(row.occurred_ms),
    data: row.data,
  }));
}

async function loadRequests(
  db: Queryable,
  { from, to }: Day,
  deliveryIds: string[],
): Promise<(FrozenRequest & { deliveryId: string })[]> {
  const { rows } = await db.query<FrozenRequest & { deliveryId: string }>({
    name: "load_requests",
    text: `select delivery_id as "deliveryId", method, url, content_type as "contentType", body from posthorn.delivery_requests
      where received_at >= $1 and received_at < $2 and delivery_id = any($3::bigint[])`,
    values: [from, to, plainArray(deliveryIds)],
  });
  return rows;
}

const dayMs = 86_400_000;
