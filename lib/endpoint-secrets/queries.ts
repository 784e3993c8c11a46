import { and, desc, eq, isNull, type SQL, sql } from "drizzle-orm";
import { endpointSecrets } from "#drizzle/schema/index.ts";
import type { Orm } from "#lib/db/database.ts";

type StoredSecret = typeof endpointSecrets.$inferSelect;

/**
 * The time is asked for statement by statement: a transaction that waited for the endpoint's lock began before
 * the one that it waited for, and must not date its secret before that one's.
 */
const now = sql`clock_timestamp()`;

export async function insertSecret(
  orm: Orm,
  row: { id: string; endpointId: string; ciphertext: Buffer },
): Promise<void> {
  await orm.insert(endpointSecrets).values({ ...row, createdAt: now });
}

/** Those that sign now, the newest first. The claim's loading asks the same (lib/queue/load.ts). */
export async function selectValidSecrets(orm: Orm, endpointId: string): Promise<StoredSecret[]> {
  return orm
    .select()
    .from(endpointSecrets)
    .where(and(eq(endpointSecrets.endpointId, endpointId), isValid()))
    .orderBy(desc(endpointSecrets.createdAt), desc(endpointSecrets.id));
}

/** Gives the current secret an end; those that were rotated before keep theirs. */
export async function expireCurrentSecret(orm: Orm, endpointId: string, overlapHours: number): Promise<void> {
  await orm
    .update(endpointSecrets)
    .set({ expiresAt: sql`${now} + ${overlapHours} * interval '1 hour'` })
    .where(
      and(
        eq(endpointSecrets.endpointId, endpointId),
        isNull(endpointSecrets.revokedAt),
        isNull(endpointSecrets.expiresAt),
      ),
    );
}

export async function markSecretRevoked(orm: Orm, id: string): Promise<void> {
  await orm.update(endpointSecrets).set({ revokedAt: now }).where(eq(endpointSecrets.id, id));
}

function isValid(): SQL {
  const { revokedAt, expiresAt } = endpointSecrets;
  return sql`${revokedAt} is null and (${expiresAt} is null or ${expiresAt} > ${now})`;
}
