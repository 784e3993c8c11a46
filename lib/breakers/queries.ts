import { and, eq } from "drizzle-orm";
import { z } from "zod";
import { breakerTransitions } from "#drizzle/schema/index.ts";
import { keyset } from "#lib/api/keyset.ts";
import type { Page } from "#lib/api/paging.ts";
import type { Orm } from "#lib/db/database.ts";
import { type BreakerHistoryQuery, type BreakerMove, transitionId } from "./schema.ts";

/** One page of a breaker's moves, newest first, along breaker_transitions_endpoint. */
export async function selectBreakerMoves(
  orm: Orm,
  endpointId: string,
  query: BreakerHistoryQuery,
): Promise<Page<BreakerMove>> {
  const list = keyset(query, {
    columns: [breakerTransitions.id],
    key: z.tuple([transitionId]),
    order: "descending",
  });
  const rows = await orm
    .select()
    .from(breakerTransitions)
    .where(and(eq(breakerTransitions.endpointId, endpointId), list.where))
    .orderBy(list.orderBy)
    .limit(list.fetch);
  return list.page(rows, { key: (row) => [String(row.id)], item: toMove });
}

function toMove(row: typeof breakerTransitions.$inferSelect): BreakerMove {
  return {
    id: String(row.id),
    at: row.at.toISOString(),
    from: row.fromState,
    to: row.toState,
    cause: row.cause,
    cooldown_seconds: row.cooldownSeconds,
  };
}
