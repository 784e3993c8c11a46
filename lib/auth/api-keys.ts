import { createHash, randomBytes } from "node:crypto";
import { and, eq, isNull } from "drizzle-orm";
import type pg from "pg";
import { v7 as uuidV7 } from "uuid";
import { apiKeys } from "#drizzle/schema/index.ts";
import { appDatabase } from "#lib/db/app.ts";
import type { Queryable } from "#lib/db/database.ts";
import { Problem } from "#lib/errors.ts";
import type { Actor } from "./actor.ts";

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
  const key = `phk_${randomBytes(32).toString("base64url")}`;
  const { rowCount } = await client.query(
    insertKey("select $1::uuid, $2, $3, $4::bytea where not exists (select from posthorn.api_keys)"),
    newRow(key, "First key"),
  );
  return rowCount === 1 ? { key } : null;
}

/** The key and its line in the audit log, in one statement. */
function insertKey(source: string): string {
  return `with made as (
      insert into posthorn.api_keys (id, name, prefix, key_hash) ${source}
      on conflict (key_hash) do nothing returning id, name
    )
    insert into posthorn.audit_log (actor_kind, actor_name, action, object_kind, object_id, after)
    select 'system', 'Posthorn', 'api_key.create', 'api_key', id::text, jsonb_build_object('name', name) from made`;
}

/** The prefix tells keys apart in lists; of a short provided key it must not give away much. */
function newRow(key: string, name: string): unknown[] {
  return [uuidV7(), name, key.slice(0, Math.min(8, Math.floor(key.length / 4))), hashKey(key)];
}

/**
 * The actor behind an Authorization header; throws a 401. Every call asks the database, so that a revoked key
 * is dead at once in every process, and every key is hashed before it is compared.
 */
export async function authenticate(authorization: string | null): Promise<Actor> {
  const key = /^Bearer +(\S+) *$/i.exec(authorization ?? "")?.[1];
  if (!key || key.length > maxKeyCharacters) {
    throw new Problem("unauthorized", "Send an API key in the header: Authorization: Bearer phk_...");
  }
  const [row] = await appDatabase()
    .orm.select({ id: apiKeys.id, name: apiKeys.name })
    .from(apiKeys)
    .where(and(eq(apiKeys.keyHash, hashKey(key)), isNull(apiKeys.revokedAt)));
  if (!row) throw new Problem("unauthorized", "This API key is unknown or has been revoked");
  return { kind: "api_key", id: row.id, name: row.name };
}

function hashKey(key: string): Buffer {
  return createHash("sha256").update(key).digest();
}
