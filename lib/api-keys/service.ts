import { v7 as uuidV7 } from "uuid";
import { namedAffiliate } from "#lib/affiliates/named.ts";
import type { Page } from "#lib/api/paging.ts";
import { recordAudit } from "#lib/audit/record.ts";
import type { Actor } from "#lib/auth/actor.ts";
import { generateApiKey, storedForm } from "#lib/auth/api-keys.ts";
import { authorize } from "#lib/auth/permissions.ts";
import { appDatabase } from "#lib/db/app.ts";
import { inTransaction, type Orm } from "#lib/db/database.ts";
import { existing, invalidField } from "#lib/errors.ts";
import { insertApiKey, markApiKeyRevoked, selectApiKey, selectApiKeys } from "./queries.ts";
import type { ApiKey, ApiKeyCreate, ApiKeyCreated, ApiKeyListQuery } from "./schema.ts";

/** One page of keys, newest first, the revoked and expired ones among them. */
export async function listApiKeys(actor: Actor, query: ApiKeyListQuery): Promise<Page<ApiKey>> {
  authorize(actor, "api_key.read");
  return selectApiKeys(appDatabase().orm, query);
}

/** 404 when there is none. */
export async function getApiKey(actor: Actor, id: string): Promise<ApiKey> {
  authorize(actor, "api_key.read");
  return existing(await selectApiKey(appDatabase().orm, id), "API key");
}

/** Makes a key, which is answered this once. 422 for an end that has passed, or an affiliate that does not exist. */
export async function createApiKey(actor: Actor, input: ApiKeyCreate): Promise<ApiKeyCreated> {
  authorize(actor, "api_key.create");
  const { name, purpose, expires_at } = input;
  const expiresAt = expires_at === null ? null : new Date(expires_at);
  if (expiresAt !== null && expiresAt.getTime() <= Date.now()) {
    throw invalidField("expires_at", "must lie in the future");
  }
  return inTransaction(appDatabase(), async ({ orm }) => {
    const affiliate = input.affiliate === null ? null : await namedAffiliate(orm, input.affiliate);
    const id = uuidV7();
    const key = generateApiKey();
    await insertApiKey(orm, {
      ...storedForm(key),
      id,
      name,
      purpose,
      affiliateId: affiliate?.id ?? null,
      createdBy: actor.name,
      expiresAt,
    });
    await recordAudit(orm, actor, {
      action: "api_key.create",
      objectKind: "api_key",
      objectId: id,
      ...(affiliate ? { affiliateId: affiliate.id } : {}),
      after: {
        name,
        purpose,
        ...(affiliate ? { affiliate: affiliate.key } : {}),
        ...(expiresAt ? { expires_at: expiresAt.toISOString() } : {}),
      },
    });
    return { ...existing(await selectApiKey(orm, id), "API key"), key };
  });
}

/** Ends a key: the next call with it is refused, in every process. Nothing changes for one that was revoked before. */
export async function revokeApiKey(actor: Actor, id: string): Promise<void> {
  authorize(actor, "api_key.revoke");
  await inTransaction(appDatabase(), async ({ orm }) => {
    const revoked = await markApiKeyRevoked(orm, id);
    if (revoked) await recordRevocation(orm, actor, revoked);
    else existing(await selectApiKey(orm, id), "API key");
  });
}

/** The line in the audit log for a key that was ended. */
export async function recordRevocation(
  orm: Orm,
  actor: Actor,
  { id, name, affiliateId }: { id: string; name: string; affiliateId: string | null },
): Promise<void> {
  await recordAudit(orm, actor, {
    action: "api_key.revoke",
    objectKind: "api_key",
    objectId: id,
    ...(affiliateId === null ? {} : { affiliateId }),
    before: { name },
  });
}
