import type pg from "pg";
import type { AuditAction } from "#lib/audit/actions.ts";
import { inClientTransaction } from "#lib/db/database.ts";
import { noFailures } from "#lib/delivery/disabling.ts";
import { lockHealth, storeHealth } from "./health.ts";
import type { EndpointSignal } from "./settle.ts";

const systemName = "Posthorn";

/**
 * Acts on what settling found: warns about an endpoint that has done nothing but fail for days, or disables it;
 * what waits for it is then held. Each is a row of the audit log, and happens once however many workers ask.
 * Apart from the settlement, because here the endpoint's row is locked before its health, as in every edit.
 */
export async function actOnSignal(pool: pg.Pool, { endpointId, signal }: EndpointSignal): Promise<void> {
  await inClientTransaction(pool, async (client) => {
    const { rows } = await client.query<{ affiliate_id: string }>(
      `select affiliate_id from posthorn.endpoints
       where id = $1 and status = 'active' and deleted_at is null for no key update`,
      [endpointId],
    );
    const affiliateId = rows[0]?.affiliate_id;
    if (!affiliateId) return;
    if (signal.kind !== "warn") await disable(client, endpointId);
    const { action, before, after } = auditEntry(signal);
    await client.query(
      `insert into posthorn.audit_log
         (actor_kind, actor_name, action, object_kind, object_id, affiliate_id, before, after)
       values ('system', $1, $2, 'endpoint', $3, $4, $5, $6)`,
      [systemName, action, endpointId, affiliateId, before, after],
    );
  });
}

async function disable(client: pg.ClientBase, endpointId: string): Promise<void> {
  await client.query(
    `update posthorn.endpoints set status = 'disabled', status_changed_at = now(), status_changed_by = $2,
       updated_at = now() where id = $1`,
    [endpointId, systemName],
  );
  const { healths } = await lockHealth(client, { endpointIds: [endpointId], wanted: [endpointId] });
  await storeHealth(
    client,
    healths.map((health) => ({ health: { ...health, failures: noFailures }, transitions: [] })),
  );
}

function auditEntry(signal: EndpointSignal["signal"]): {
  action: AuditAction;
  before: Record<string, unknown> | null;
  after: Record<string, unknown>;
} {
  if (signal.kind === "warn") {
    return { action: "endpoint.warn_failing", before: null, after: { failing_days: signal.days } };
  }
  const reason = signal.kind === "gone" ? "gone" : "failing_for_days";
  return {
    action: "endpoint.disable",
    before: { status: "active" },
    after: { status: "disabled", reason },
  };
}
