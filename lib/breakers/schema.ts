import { z } from "zod";
import { pageQuery } from "#lib/api/paging.ts";
import { plainText } from "#lib/api/text.ts";
import type { BreakerCause, BreakerState } from "#lib/vocabulary.ts";

/** Holding a breaker open needs a reason, which goes into the audit log. */
export const breakerHold = z.strictObject({ reason: plainText().trim().min(1).max(500) });
export type BreakerHold = z.infer<typeof breakerHold>;

export const transitionId = z.string().regex(/^[1-9][0-9]{0,17}$/, "must be a transition's id");
export const breakerHistoryQuery = pageQuery;
export type BreakerHistoryQuery = z.infer<typeof breakerHistoryQuery>;

/** An endpoint's breaker as part of its endpoint. */
export type BreakerStatus = {
  state: BreakerState;
  /** Null while it has never moved. */
  changed_at: string | null;
  /** How long it stays open the next time; while open, this time. */
  cooldown_seconds: number;
  /** May be past, when nothing has been due since. Null unless it is open and will probe by itself. */
  next_probe_at: string | null;
  /** Who holds it open by hand. */
  held_by: string | null;
  /** After it closed, how many requests may be in flight; null when that is no longer limited. */
  ramp: number | null;
};

/** One line of a breaker's history. */
export type BreakerMove = {
  id: string;
  at: string;
  from: BreakerState;
  to: BreakerState;
  cause: BreakerCause;
  cooldown_seconds: number;
};
