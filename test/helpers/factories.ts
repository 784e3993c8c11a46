import type pg from "pg";
import { v7 as uuidv7 } from "uuid";
import { generateApiKey, storedForm } from "#lib/auth/api-keys.ts";
import type { Filter } from "#lib/delivery/filters.ts";
import { type PublishItem, publishEvents } from "#lib/queue/publish.ts";
import { createSearchHasher } from "#lib/search/hash.ts";
import { encryptSecret, formatSigningSecret, generateSigningSecret } from "#lib/secrets.ts";
import type { HttpMethod, KeyPurpose, Ordering, PostbackContentType } from "#lib/vocabulary.ts";

/** Encrypts the secrets of endpoints that tests make. */
export const testSecretKey = Buffer.alloc(32, 7);

/** What the fan-out needs beside the database. */
export const fanOutOptions = { hashValue: createSearchHasher(testSecretKey) };

let made = 0;

/** Inserts an affiliate and returns it. */
export async function createAffiliate(
  pool: pg.Pool,
  key = `affiliate-${++made}`,
): Promise<{ id: string; key: string }> {
  const id = uuidv7();
  await pool.query("insert into posthorn.affiliates (id, key, name) values ($1, $2, $2)", [id, key]);
  return { id, key };
}

/** Inserts an API key, for managing unless said otherwise, and returns it. Times are SQL expressions. */
export async function createApiKey(
  pool: pg.Pool,
  given: { purpose?: KeyPurpose; affiliateId?: string; expiresAt?: string; revokedAt?: string } = {},
): Promise<{ id: string; key: string }> {
  const id = uuidv7();
  const key = generateApiKey();
  const { prefix, keyHash } = storedForm(key);
  await pool.query(
    `insert into posthorn.api_keys (id, name, prefix, key_hash, purpose, affiliate_id, created_by, expires_at, revoked_at)
     values ($1, $2, $3, $4, $5, $6, 'test', ${given.expiresAt ?? "null"}, ${given.revokedAt ?? "null"})`,
    [id, `key ${++made}`, prefix, keyHash, given.purpose ?? "manage", given.affiliateId ?? null],
  );
  return { id, key };
}

export type TestEndpoint = { id: string; affiliateId: string; affiliateKey: string; secret: string };

/**
 * Inserts an endpoint, with an affiliate of its own unless one is given. Its retries are an hour apart, so that none
 * happens by chance while a test looks: `passTime` makes them due.
 */
export async function createEndpoint(
  pool: pg.Pool,
  options: {
    url: string;
    affiliate?: { id: string; key: string };
    eventTypes?: readonly string[];
    timeoutMs?: number;
    maxAttempts?: number;
    baseSeconds?: number;
    concurrency?: number;
    ordering?: Ordering;
    /** Makes it a postback with this template; `url` is its URL's. */
    postback?: {
      method?: HttpMethod;
      body?: string;
      contentType?: PostbackContentType;
      sign?: boolean;
      secrets?: Record<string, string>;
    };
    filters?: Filter[];
  },
): Promise<TestEndpoint> {
  const affiliate = options.affiliate ?? (await createAffiliate(pool));
  const id = uuidv7();
  const secretId = uuidv7();
  const secret = generateSigningSecret();
  const { postback } = options;
  const macroSecrets = postback?.secrets ?? {};
  await pool.query(
    `insert into posthorn.endpoints (id, affiliate_id, name, url, event_types, timeout_ms, max_attempts,
       backoff_base_seconds, concurrency, ordering, status_changed_by, kind, method, body_template, content_type,
       sign_url, macro_secret_names, macro_secret_values, filters)
     values ($1, $2, 'test endpoint', $3, $4, $5, $6, $7, $8, $9, 'test', $10, $11, $12, $13, $14, $15, $16, $17)`,
    [
      id,
      affiliate.id,
      options.url,
      options.eventTypes ?? null,
      options.timeoutMs ?? 5_000,
      options.maxAttempts ?? 5,
      options.baseSeconds ?? 3_600,
      options.concurrency ?? 16,
      options.ordering ?? "none",
      postback ? "postback" : "webhook",
      postback ? (postback.method ?? "GET") : "POST",
      postback?.body ?? null,
      postback?.contentType ?? null,
      postback?.sign ?? false,
      Object.keys(macroSecrets),
      Object.keys(macroSecrets).length > 0
        ? encryptSecret(Buffer.from(JSON.stringify(Object.values(macroSecrets))), {
            key: testSecretKey,
            context: id,
          })
        : null,
      JSON.stringify(options.filters ?? []),
    ],
  );
  await pool.query("insert into posthorn.endpoint_health (endpoint_id) values ($1)", [id]);
  await pool.query(
    "insert into posthorn.endpoint_secrets (id, endpoint_id, ciphertext) values ($1, $2, $3)",
    [secretId, id, encryptSecret(secret, { key: testSecretKey, context: secretId })],
  );
  return { id, affiliateId: affiliate.id, affiliateKey: affiliate.key, secret: formatSigningSecret(secret) };
}

/** Publishes one event with the exact bytes of `data` and returns its id. */
export async function publish(
  pool: pg.Pool,
  event: {
    affiliate: string;
    type?: string;
    data?: string;
    id?: string;
    occurredAt?: string;
    orderingKey?: string;
  },
): Promise<string> {
  const [result] = await publishEvents(pool, [eventItem(event)]);
  if (result?.outcome !== "accepted") throw new Error(`the event was not accepted: ${result?.outcome}`);
  return result.id;
}

/** Publishes `count` events in batches and returns their ids. */
export async function publishMany(
  pool: pg.Pool,
  options: { affiliate: string; count: number },
): Promise<string[]> {
  const ids: string[] = [];
  while (ids.length < options.count) {
    const length = Math.min(500, options.count - ids.length);
    const items = Array.from({ length }, (_, i) =>
      eventItem({ affiliate: options.affiliate, data: `{"n":${ids.length + i}}` }),
    );
    for (const result of await publishEvents(pool, items)) ids.push(result.id);
  }
  return ids;
}

function eventItem(event: {
  affiliate: string;
  type?: string;
  data?: string;
  id?: string;
  occurredAt?: string;
  orderingKey?: string;
}): PublishItem {
  return {
    id: event.id ?? null,
    type: event.type ?? "conversion.approved",
    affiliate: event.affiliate,
    occurredAt: event.occurredAt ?? null,
    orderingKey: event.orderingKey ?? null,
    data: Buffer.from(event.data ?? "{}"),
  };
}
