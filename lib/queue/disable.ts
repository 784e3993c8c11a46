import type pg from "pg";
import type { AuditAction } from "#lib/audit/actions.ts";
import { plainArray } from "#lib/db/arrays.ts";
import { inClientTransaction } from "#lib/db/database.ts";
import { type DisablingSignal, disablingSignal, noFailures } from "#lib/delivery/disabling.ts";
import { lockHealth, storeHealth } from "./health.ts";

/** What settling asks for beyond what it stored. */
export type EndpointSignal = { endpointId: string; signal: DisablingSignal };

type Cause = DisablingSignal | { kind: "gone" };

const systemName = "Posthorn";

/**
 * Acts on what settling found: warns about an endpoint that has done nothing but fail for days, or disables it;
 * what waits for it is then held. Each is a row of the audit log, and happens once however many workers ask. Where
 * this fails nothing is stored, so that the endpoint's next failure asks again.
 */
export async function actOnSignal(pool: pg.Pool, { endpointId }: EndpointSignal): Promise<void> {
  await inClientTransaction(pool, async (client) => {
    const affiliateId = (await lockActive(client, [endpointId])).get(endpointId);
    if (affiliateId === undefined) return;
    const { healths } = await lockHealth(client, { endpointIds: [endpointId], wanted: [endpointId] });
    // Since it was asked for, others may have done it, or a success may have ended the row.
    const [health] = healths;
    const due = health ? disablingSignal(health.failures) : null;
    if (!health || !due) return;
    if (due.kind === "disable") return disable(client, { endpointId, affiliateId, cause: due });
    const warned = { ...health, failures: { ...health.failures, warnedDays: due.days } };
    await storeHealth(client, [{ health: warned, transitions: [] }]);
    await recordAudit(client, { endpointId, affiliateId, cause: due });
  });
}

/**
 * Locks these endpoints' rows in order of id, which whoever changes them does before their health rows. Returns the
 * affiliates of those that are active.
 */
export async function lockActive(
  client: pg.ClientBase,
  endpointIds: readonly string[],
): Promise<Map<string, string>> {
  if (endpointIds.length === 0) return new Map();
  const { rows } = await client.query<{ id: string; affiliate_id: string }>({
    name: "lock_active",
    text: `select id, affiliate_id from posthorn.endpoints
      where id = any($1::uuid[]) and status = 'active' and deleted_at is null order by id for no key update`,
    values: [plainArray(endpointIds)],
  });
  return new Map(rows.map((row) => [row.id, row.affiliate_id]));
}

/** Disables an endpoint that `lockActive` returned, in its transaction. */
export async function disable(
  client: pg.ClientBase,
  options: { endpointId: string; affiliateId: string; cause: Cause },
): Promise<void> {
  const { endpointId } = options;
  await client.query(
    `update posthorn.endpoints set status = 'disabled', status_changed_at = now(), status_changed_by = $2,
       gone_url = case when $3 then url end, updated_at = now() where id = $1`,
    [endpointId, systemName, options.cause.kind === "gone"],
  );
  const { healths } = await lockHealth(client, { endpointIds: [endpointId], wanted: [endpointId] });
  await storeHealth(
    client,
    healths.map((health) => ({ health: { ...health, failures: noFailures }, transitions: [] })),
  );
  await recordAudit(client, options);
}

async function recordAudit(
  client: pg.ClientBase,
  { endpointId, affiliateId, cause }: { endpointId: string; affiliateId: string; cause: Cause },
): Promise<void> {
  const { action, before, after } = auditEntry(cause);
  await client.query(
    `insert into posthorn.audit_log
       (actor_kind, actor_name, action, object_kind, object_id, affiliate_id, before, after)
     values ('system', $1, $2, 'endpoint', $3, $4, $5, $6)`,
    [systemName, action, endpointId, affiliateId, before, after],
  );
}

function auditEntry(cause: Cause): {
  action: AuditAction;
  before: Record<string, unknown> | null;
  after: Record<string, unknown>;
} {
  if (cause.kind === "warn") {
    return { action: "endpoint.warn_failing", before: null, after: { failing_days: cause.days } };
  }
  const reason = cause.kind === "gone" ? "gone" : "failing_for_days";
  return {
    action: "endpoint.disable",
    before: { status: "active" },
    after: { status: "disabled", reason },
  };
}
