import { createHash, randomBytes } from "node:crypto";
import type pg from "pg";
import { v7 as uuidV7 } from "uuid";
import type { AuditAction } from "#lib/audit/actions.ts";
import { appDatabase } from "#lib/db/app.ts";
import type { Queryable } from "#lib/db/database.ts";
import { Problem } from "#lib/errors.ts";
import type { KeyPurpose } from "#lib/vocabulary.ts";
import { type Actor, callOrigin } from "./actor.ts";

const maxKeyCharacters = 512;

/**
 * Makes sure that there is a key to call the API with. A provided one is stored (its hash, unless it is known
 * already; one that was revoked stays so) and null is returned. Otherwise, when no key was ever made, one is
 * made and returned: the only time that it can be seen. Safe when several processes start at once.
 */
export async function ensureFirstApiKey(
  pool: pg.Pool,
  options: { provided?: string | undefined },
): Promise<{ key: string } | null> {
  if (options.provided !== undefined) {
    await pool.query(
      insertKey("values ($1::uuid, $2, $3, $4::bytea)"),
      newRow(options.provided, "From the environment"),
    );
    return null;
  }
  const client = await pool.connect();
  let broken = false;
  try {
    await client.query("begin");
    const made = await makeFirst(client);
    await client.query("commit");
    return made;
  } catch (error) {
    await client.query("rollback").catch(() => {
      broken = true;
    });
    throw error;
  } finally {
    client.release(broken);
  }
}

async function makeFirst(client: Queryable): Promise<{ key: string } | null> {
  await client.query("select pg_advisory_xact_lock(hashtextextended('posthorn.first_api_key', 0))");
  const key = generateApiKey();
  const { rowCount } = await client.query(
    insertKey("select $1::uuid, $2, $3, $4::bytea where not exists (select from posthorn.api_keys)"),
    newRow(key, "First key"),
  );
  return rowCount === 1 ? { key } : null;
}

const created: AuditAction = "api_key.create";

/** The key and its line in the audit log, in one statement. What is made by itself may do everything. */
function insertKey(source: string): string {
  return `with made as (
      insert into posthorn.api_keys (id, name, prefix, key_hash, purpose, created_by)
      select id, name, prefix, key_hash, 'manage', 'Posthorn' from (${source}) given (id, name, prefix, key_hash)
      on conflict (key_hash) do nothing returning id, name, purpose
    )
    insert into posthorn.audit_log (actor_kind, actor_name, action, object_kind, object_id, after)
    select 'system', 'Posthorn', '${created}', 'api_key', id::text,
      jsonb_build_object('name', name, 'purpose', purpose) from made`;
}

function newRow(key: string, name: string): unknown[] {
  const { prefix, keyHash } = storedForm(key);
  return [uuidV7(), name, prefix, keyHash];
}

/** A new key: 32 random bytes behind `phk_`. */
export function generateApiKey(): string {
  return `phk_${randomBytes(32).toString("base64url")}`;
}

/**
 * What is kept of a key: its SHA-256, and a prefix that tells keys apart in lists; of a short provided key it must not
 * give away much.
 */
export function storedForm(key: string): { prefix: string; keyHash: Buffer } {
  return { prefix: key.slice(0, Math.min(8, Math.floor(key.length / 4))), keyHash: hashKey(key) };
}

/**
 * The actor behind an Authorization header; throws a 401. Every call asks the database, so
 * that a key that was revoked or has expired is dead at once in every process, and every key is hashed before it is
 * compared.
 */
export async function authenticate(headers: Headers): Promise<Actor> {
  const key = /^Bearer +(\S+) *$/i.exec(headers.get("authorization") ?? "")?.[1];
  if (!key || key.length > maxKeyCharacters) {
    throw new Problem("unauthorized", "Send an API key in the header: Authorization: Bearer phk_...");
  }
  const { rows } = await appDatabase().pool.query<LiveKey>(liveKey, [hashKey(key)]);
  const [row] = rows;
  if (!row) throw new Problem("unauthorized", "This API key is unknown, has been revoked or has expired");
  if (row.use_unnoted) noteUse(row.id);
  const { id, name, affiliate_id: affiliateId, purpose } = row;
  return { kind: "api_key", id, name, affiliateId, purpose, from: callOrigin(headers) };
}

type LiveKey = {
  id: string;
  name: string;
  purpose: KeyPurpose;
  affiliate_id: string | null;
  use_unnoted: boolean;
};

const isUnnoted = "(last_used_at is null or last_used_at < now() - interval '1 minute')";

const liveKey = `select id, name, purpose, affiliate_id, ${isUnnoted} as use_unnoted
  from posthorn.api_keys where key_hash = $1 and revoked_at is null and (expires_at is null or expires_at > now())`;

/** Keys whose use this process is noting right now. */
const noting = new Set<string>();

/**
 * Once a minute for each key, beside the call, which does not wait for it; of many calls and processes at once, one
 * writes and the others pass by its lock. What fails is noted by a later call.
 */
function noteUse(id: string): void {
  if (noting.has(id)) return;
  noting.add(id);
  appDatabase()
    .pool.query(
      `update posthorn.api_keys set last_used_at = now() where id = (
         select id from posthorn.api_keys where id = $1 and ${isUnnoted} for no key update skip locked)`,
      [id],
    )
    .catch(() => undefined)
    .finally(() => noting.delete(id));
}

function hashKey(key: string): Buffer {
  return createHash("sha256").update(key).digest();
}
