import type { Page } from "#lib/api/paging.ts";
import type { AuditAction } from "#lib/audit/actions.ts";
import { recordAudit } from "#lib/audit/record.ts";
import { type Actor, visibleTo } from "#lib/auth/actor.ts";
import { authorize } from "#lib/auth/permissions.ts";
import { appDatabase } from "#lib/db/app.ts";
import { inTransaction } from "#lib/db/database.ts";
import { type BreakerChange, close, hold, reset } from "#lib/delivery/breaker.ts";
import { lockEndpoint, selectEndpoint } from "#lib/endpoints/queries.ts";
import type { Endpoint } from "#lib/endpoints/schema.ts";
import { existing, Problem } from "#lib/errors.ts";
import { changeHealth, type Health } from "#lib/queue/health.ts";
import { wakeWorkers } from "#lib/queue/wake.ts";
import { selectBreakerMoves } from "./queries.ts";
import type { BreakerHistoryQuery, BreakerHold, BreakerMove } from "./schema.ts";

/** Opens the breaker until somebody resets or closes it; 409 when it is held already. */
export async function holdBreaker(actor: Actor, id: string, input: BreakerHold): Promise<Endpoint> {
  authorize(actor, "endpoint.hold_breaker");
  return moveBreaker(actor, id, {
    action: "endpoint.hold_breaker",
    reason: input.reason,
    heldBy: actor.name,
    move: ({ breaker }) => hold(breaker),
  });
}

/** Ends a hold or a cooldown: the next delivery is the probe; 409 unless it is open. */
export async function resetBreaker(actor: Actor, id: string): Promise<Endpoint> {
  authorize(actor, "endpoint.reset_breaker");
  return moveBreaker(actor, id, {
    action: "endpoint.reset_breaker",
    heldBy: null,
    move: ({ breaker }, nowMs) => reset(breaker, nowMs),
  });
}

/** Closes the breaker without a probe; 409 when it is closed already. */
export async function closeBreaker(actor: Actor, id: string): Promise<Endpoint> {
  authorize(actor, "endpoint.close_breaker");
  return moveBreaker(actor, id, {
    action: "endpoint.close_breaker",
    heldBy: null,
    move: ({ breaker, concurrency }) => close(breaker, concurrency),
  });
}

/** One page of what moved an endpoint's breaker, newest first. */
export async function listBreakerMoves(
  actor: Actor,
  id: string,
  query: BreakerHistoryQuery,
): Promise<Page<BreakerMove>> {
  authorize(actor, "endpoint.read");
  const { orm } = appDatabase();
  existing(visibleTo(actor, await selectEndpoint(orm, id)), "endpoint");
  return selectBreakerMoves(orm, id, query);
}

async function moveBreaker(
  actor: Actor,
  id: string,
  verb: {
    action: AuditAction;
    reason?: string;
    heldBy: string | null;
    move: (health: Health, nowMs: number) => BreakerChange;
  },
): Promise<Endpoint> {
  const moved = await inTransaction(appDatabase(), async ({ client, orm }) => {
    const { affiliateId } = existing(await lockEndpoint(orm, { id, scope: actor.affiliateId }), "endpoint");
    let before = "";
    await changeHealth(client, id, (health, nowMs) => {
      before = words(health);
      const { breaker, transitions } = verb.move(health, nowMs);
      if (transitions.length === 0) throw new Problem("wrong_breaker_state", `The breaker is ${before}`);
      return { health: { ...health, breaker, heldBy: verb.heldBy }, transitions };
    });
    const endpoint = existing(await selectEndpoint(orm, id), "endpoint");
    await recordAudit(orm, actor, {
      action: verb.action,
      objectKind: "endpoint",
      objectId: id,
      affiliateId,
      before: { breaker: before },
      after: {
        breaker: words({ breaker: endpoint.breaker, heldBy: endpoint.breaker.held_by }),
        ...(verb.reason === undefined ? {} : { reason: verb.reason }),
      },
    });
    return endpoint;
  });
  wakeWorkers(appDatabase().pool);
  return moved;
}

function words({ breaker, heldBy }: { breaker: { state: string }; heldBy: string | null }): string {
  return heldBy === null ? breaker.state.replace("_", " ") : "held open";
}
