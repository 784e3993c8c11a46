import { v7 as uuidV7 } from "uuid";
import { recordAudit } from "#lib/audit/record.ts";
import { type Actor, visibleTo } from "#lib/auth/actor.ts";
import { authorize, isAffiliate } from "#lib/auth/permissions.ts";
import { secretKeys } from "#lib/config.ts";
import { appDatabase } from "#lib/db/app.ts";
import { inTransaction, type Orm } from "#lib/db/database.ts";
import { maxValidSecrets } from "#lib/delivery/signature.ts";
import { lockEndpoint, selectEndpoint } from "#lib/endpoints/queries.ts";
import { existing, Problem } from "#lib/errors.ts";
import { changeHealth, probeNext } from "#lib/queue/health.ts";
import { wakeWorkers } from "#lib/queue/wake.ts";
import { decryptSecret, encryptSecret, formatSigningSecret, generateSigningSecret } from "#lib/secrets.ts";
import { expireCurrentSecret, insertSecret, markSecretRevoked, selectValidSecrets } from "./queries.ts";
import type { EndpointSecret, EndpointSecretCreated, SecretReveal, SecretRotation } from "./schema.ts";

/** The secrets that sign now, the newest first, without their values. */
export async function listSecrets(actor: Actor, endpointId: string): Promise<{ data: EndpointSecret[] }> {
  authorize(actor, "endpoint.read_secrets");
  const { orm } = appDatabase();
  existing(visibleTo(actor, await selectEndpoint(orm, endpointId)), "endpoint");
  return { data: (await selectValidSecrets(orm, endpointId)).map(toSecret) };
}

/** Makes a new secret for an endpoint in the caller's transaction, and returns it as `whsec_...`. */
export async function addSecret(orm: Orm, endpointId: string): Promise<string> {
  const id = uuidV7();
  const secret = generateSigningSecret();
  const ciphertext = encryptSecret(secret, { key: secretKeys()[0], context: id });
  await insertSecret(orm, { id, endpointId, ciphertext });
  return formatSigningSecret(secret);
}

/**
 * Signs with a new secret, shown this once, and until their ends with those before it. The next delivery is a
 * probe. 409 when the new one would be the sixth.
 */
export async function rotateSecret(
  actor: Actor,
  endpointId: string,
  input: SecretRotation,
): Promise<EndpointSecretCreated> {
  authorize(actor, "endpoint.rotate_secret");
  const rotated = await inTransaction(appDatabase(), async ({ client, orm }) => {
    const { affiliateId } = existing(
      await lockEndpoint(orm, { id: endpointId, scope: actor.affiliateId }),
      "endpoint",
    );
    await expireCurrentSecret(orm, endpointId, input.overlap_hours);
    const secret = await addSecret(orm, endpointId);
    const valid = await selectValidSecrets(orm, endpointId);
    if (valid.length > maxValidSecrets) {
      throw new Problem(
        "too_many_secrets",
        `${maxValidSecrets} secrets are valid already; revoke one, or wait until one expires`,
      );
    }
    const created = current(valid);
    await changeHealth(client, endpointId, (health, nowMs) =>
      probeNext(health, { nowMs, cause: "endpoint_changed" }),
    );
    await recordAudit(orm, actor, {
      action: "endpoint.rotate_secret",
      objectKind: "endpoint",
      objectId: endpointId,
      affiliateId,
      after: { secret_id: created.id, overlap_hours: input.overlap_hours },
    });
    return { ...toSecret(created), secret };
  });
  wakeWorkers(appDatabase().pool);
  return rotated;
}

/** Ends a secret at once. 409 for the current one, as nothing would sign when the others expire. */
export async function revokeSecret(actor: Actor, endpointId: string, secretId: string): Promise<void> {
  authorize(actor, "endpoint.revoke_secret");
  await inTransaction(appDatabase(), async ({ client, orm }) => {
    const { affiliateId } = existing(
      await lockEndpoint(orm, { id: endpointId, scope: actor.affiliateId }),
      "endpoint",
    );
    const valid = await selectValidSecrets(orm, endpointId);
    const secret = existing(
      valid.find(({ id }) => id === secretId),
      "secret",
    );
    if (secret.expiresAt === null) {
      throw new Problem(
        "current_secret",
        "The current secret can only be replaced; rotate with overlap_hours 0 to end it at once",
      );
    }
    await markSecretRevoked(orm, secretId);
    await changeHealth(client, endpointId, (health, nowMs) =>
      probeNext(health, { nowMs, cause: "endpoint_changed" }),
    );
    await recordAudit(orm, actor, {
      action: "endpoint.revoke_secret",
      objectKind: "endpoint",
      objectId: endpointId,
      affiliateId,
      before: { secret_id: secretId },
    });
  });
  wakeWorkers(appDatabase().pool);
}

/**
 * The current secret as `whsec_...`; who asked goes into the audit log first, with their reason, or that they have given
 * their password once more (`revealOnScreen`). 403 for an affiliate's user without that.
 */
export async function revealSecret(
  actor: Actor,
  endpointId: string,
  grounds: SecretReveal | { passwordConfirmed: true },
): Promise<{ secret: string }> {
  authorize(actor, "endpoint.reveal_secret");
  if (isAffiliate(actor) && !("passwordConfirmed" in grounds))
    throw new Problem("forbidden", "Your password is needed once more");
  return inTransaction(appDatabase(), async ({ orm }) => {
    const endpoint = existing(visibleTo(actor, await selectEndpoint(orm, endpointId)), "endpoint");
    const { id, ciphertext } = current(await selectValidSecrets(orm, endpointId));
    await recordAudit(orm, actor, {
      action: "endpoint.reveal_secret",
      objectKind: "endpoint",
      objectId: endpointId,
      affiliateId: endpoint.affiliate.id,
      after: "reason" in grounds ? { reason: grounds.reason } : { password_confirmed: true },
    });
    const secret = decryptSecret(ciphertext, { keys: secretKeys(), context: id });
    return { secret: formatSigningSecret(secret) };
  });
}

/** The one that rotation has given no end; an endpoint always has it. */
function current<T extends { expiresAt: Date | null }>(valid: readonly T[]): T {
  return existing(
    valid.find((secret) => secret.expiresAt === null),
    "secret",
  );
}

function toSecret(row: { id: string; createdAt: Date; expiresAt: Date | null }): EndpointSecret {
  return {
    id: row.id,
    created_at: row.createdAt.toISOString(),
    expires_at: row.expiresAt?.toISOString() ?? null,
  };
}
