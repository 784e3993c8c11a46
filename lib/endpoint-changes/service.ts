import { parseInput } from "#lib/api/issues.ts";
import type { Page } from "#lib/api/paging.ts";
import type { AuditAction } from "#lib/audit/actions.ts";
import { recordAudit } from "#lib/audit/record.ts";
import type { Actor } from "#lib/auth/actor.ts";
import { authorize } from "#lib/auth/permissions.ts";
import { secretKeys } from "#lib/config.ts";
import { appDatabase } from "#lib/db/app.ts";
import { inTransaction, type Orm, type Transaction } from "#lib/db/database.ts";
import { applyEdit, planEdit } from "#lib/endpoints/edit.ts";
import { lockEndpoint } from "#lib/endpoints/queries.ts";
import { endpointEdit } from "#lib/endpoints/schema.ts";
import { existing, Problem } from "#lib/errors.ts";
import { wakeWorkers } from "#lib/queue/wake.ts";
import { decryptSecret } from "#lib/secrets.ts";
import { endpointChangeStateLabels } from "#lib/vocabulary.ts";
import { decideChange, endPending, lockChange, selectChangePlace, selectChanges } from "./queries.ts";
import type { ChangeListQuery, ChangeRefusal, QueuedChange } from "./schema.ts";

/** One page of the changes that wait for a decision, or were decided, newest first. */
export async function listChanges(actor: Actor, query: ChangeListQuery): Promise<Page<QueuedChange>> {
  authorize(actor, "endpoint.approve_change");
  return selectChanges(appDatabase().orm, query);
}

/** Makes the edit as it was asked for. 404 without the change, 409 once it was decided, 422 where it fits no more. */
export async function approveChange(actor: Actor, id: string): Promise<void> {
  authorize(actor, "endpoint.approve_change");
  await inTransaction(appDatabase(), async (tx) => {
    const { change, endpoint } = await lockPending(tx, id);
    const { endpointId } = change;
    if (change.edit === null) throw new Error("a change that waits has its edit");
    const plain = decryptSecret(change.edit, { keys: secretKeys(), context: id });
    const edit = parseInput(endpointEdit, JSON.parse(plain.toString()), "edit");
    const planned = await planEdit(tx.orm, { id: endpointId, endpoint, edit });
    await decideChange(tx.orm, id, { state: "approved", by: actor.name });
    await record(tx.orm, actor, { action: "endpoint.approve_change", change });
    await applyEdit(tx, actor, { id: endpointId, endpoint, planned });
  });
  wakeWorkers(appDatabase().pool);
}

/** Nothing comes of the edit; the affiliate reads why. 404 without the change, 409 once it was decided. */
export async function refuseChange(actor: Actor, id: string, { reason }: ChangeRefusal): Promise<void> {
  authorize(actor, "endpoint.approve_change");
  await inTransaction(appDatabase(), async (tx) => {
    const { change } = await lockPending(tx, id);
    await decideChange(tx.orm, id, { state: "refused", by: actor.name, reason });
    await record(tx.orm, actor, { action: "endpoint.refuse_change", change, reason });
  });
}

/** Takes back what was asked for an endpoint. 404 when nothing waits for it. */
export async function withdrawChange(actor: Actor, endpointId: string): Promise<void> {
  authorize(actor, "endpoint.edit");
  await inTransaction(appDatabase(), async ({ orm }) => {
    const endpoint = existing(
      await lockEndpoint(orm, { id: endpointId, scope: actor.affiliateId }),
      "endpoint",
    );
    existing(await endPending(orm, endpointId, { state: "withdrawn", by: actor.name }), "change");
    await recordAudit(orm, actor, {
      action: "endpoint.withdraw_change",
      objectKind: "endpoint",
      objectId: endpointId,
      affiliateId: endpoint.affiliateId,
    });
  });
}

/** The change and its endpoint, in the order in which every edit locks them. */
async function lockPending({ orm }: Transaction, id: string) {
  const place = existing(await selectChangePlace(orm, id), "change");
  const endpoint = existing(await lockEndpoint(orm, { id: place.endpointId, scope: null }), "endpoint");
  const change = existing(await lockChange(orm, id), "change");
  if (change.state !== "pending") {
    const label = endpointChangeStateLabels[change.state].toLowerCase();
    throw new Problem("change_decided", `It was decided already: ${label}`);
  }
  return { change, endpoint };
}

type Entry = {
  action: AuditAction;
  change: { endpointId: string; affiliateId: string; fromUrl: string; toUrl: string; requestedBy: string };
  reason?: string;
};

async function record(orm: Orm, actor: Actor, { action, change, reason }: Entry): Promise<void> {
  const { endpointId, affiliateId, fromUrl, toUrl, requestedBy } = change;
  await recordAudit(orm, actor, {
    action,
    objectKind: "endpoint",
    objectId: endpointId,
    affiliateId,
    before: { url: fromUrl },
    after: { url: toUrl, requested_by: requestedBy, ...(reason === undefined ? {} : { reason }) },
  });
}
