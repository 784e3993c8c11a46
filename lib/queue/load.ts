import { textArray } from "#lib/db/arrays.ts";
import type { Queryable } from "#lib/db/database.ts";
import type { ResponseRule } from "#lib/delivery/response-rules.ts";
import { maxValidSecrets } from "#lib/delivery/signature.ts";
import type { ClaimedRow } from "./claim.ts";

/** An endpoint's settings as they are now, read with every claim so that an edit holds from the next one on. */
export type EndpointSettings = {
  id: string;
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
  /** Those that sign now, the newest first. */
  secrets: { id: string; ciphertext: Buffer }[];
};

export type EventBody = { id: string; type: string; occurredAt: Date; data: Buffer };

/** What a claim needs besides its rows: one statement for the endpoints, one for each day of events. */
export async function loadForSending(
  db: Queryable,
  rows: ClaimedRow[],
): Promise<{ endpoints: Map<string, EndpointSettings>; bodies: Map<string, EventBody> }> {
  const [endpoints, ...days] = await Promise.all([
    loadEndpoints(db, [...new Set(rows.map((row) => row.endpointId))]),
    ...[...Map.groupBy(rows, (row) => row.eventDay)].map(([day, group]) =>
      loadBodies(db, day, [...new Set(group.map((row) => row.eventId))]),
    ),
  ]);
  return { endpoints, bodies: new Map(days.flat().map((body) => [body.id, body])) };
}

/** `valid` is the twin in SQL of lib/delivery/signature.ts' validSecrets; a test holds the two equal. */
async function loadEndpoints(db: Queryable, ids: string[]): Promise<Map<string, EndpointSettings>> {
  const { rows } = await db.query<
    Omit<EndpointSettings, "secrets"> & { secretIds: string[]; ciphertexts: Buffer[] }
  >({
    name: "load_endpoints",
    text: `select e.id, e.url, e.timeout_ms as "timeoutMs", e.max_attempts as "maxAttempts",
        e.backoff_base_seconds as "baseSeconds", e.backoff_cap_seconds as "capSeconds", e.concurrency,
        e.header_names as "headerNames", e.header_values as "headerValues", e.response_rules as "responseRules",
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

/** By day, so that the server opens one or two partitions whatever its statistics say. */
async function loadBodies(db: Queryable, day: number, eventIds: string[]): Promise<EventBody[]> {
  const { rows } = await db.query<{ event_id: string; type: string; occurred_ms: number; data: Buffer }>({
    name: "load_bodies",
    text: `select event_id, type, extract(epoch from occurred_at)::float8 * 1000 as occurred_ms, data from posthorn.event_bodies
      where received_at >= $1 and received_at < $2 and event_id = any($3::text[])`,
    values: [new Date(day * dayMs), new Date((day + 1) * dayMs), textArray(eventIds)],
  });
  return rows.map((row) => ({
    id: row.event_id,
    type: row.type,
    occurredAt: new Date(row.occurred_ms),
    data: row.data,
  }));
}

const dayMs = 86_400_000;
