import { eq, sql } from "drizzle-orm";
import { auditLog } from "#drizzle/schema/index.ts";
import type { CallOrigin } from "#lib/auth/actor.ts";
import type { Orm } from "#lib/db/database.ts";
import type { ActorKind } from "#lib/vocabulary.ts";
import type { AuditAction, AuditObjectKind } from "./actions.ts";

/** What is kept of who did it. */
export type AuditActor = { kind: ActorKind; id: string | null; name: string; from: CallOrigin };

export type AuditEntry = {
  action: AuditAction;
  objectKind: AuditObjectKind;
  objectId: string;
  affiliateId?: string;
  before?: Record<string, unknown>;
  after?: Record<string, unknown>;
};

/** Writes one row of the audit log; `orm` is the transaction of the change that it tells of. Its id. */
export async function recordAudit(orm: Orm, actor: AuditActor, entry: AuditEntry): Promise<bigint> {
  const values = {
    actorKind: actor.kind,
    actorId: actor.id,
    actorName: actor.name,
    address: actor.from.address,
    userAgent: actor.from.userAgent,
    action: entry.action,
    objectKind: entry.objectKind,
    objectId: entry.objectId,
    affiliateId: entry.affiliateId ?? null,
    before: entry.before ?? null,
    after: entry.after ?? null,
  };
  const [row] = await orm.insert(auditLog).values(values).returning({ id: auditLog.id });
  if (!row) throw new Error("the row was not returned");
  return row.id;
}

/** Adds to an entry that had to be written before what it tells of, such as a request, how that ended. */
export async function completeAudit(orm: Orm, id: bigint, after: Record<string, unknown>): Promise<void> {
  await orm
    .update(auditLog)
    .set({ after: sql`${auditLog.after} || ${JSON.stringify(after)}::jsonb` })
    .where(eq(auditLog.id, id));
}

/** The fields of `after` that differ from `before`, in both; null when none does. Values must be JSON-safe. */
export function changedFields<T extends Record<string, unknown>>(
  before: T,
  after: T,
): { before: Partial<T>; after: Partial<T> } | null {
  const names = (Object.keys(after) as (keyof T)[]).filter(
    (name) => JSON.stringify(before[name]) !== JSON.stringify(after[name]),
  );
  if (names.length === 0) return null;
  const pick = (from: T) => Object.fromEntries(names.map((name) => [name, from[name]])) as Partial<T>;
  return { before: pick(before), after: pick(after) };
}
