import type { BreakerCause, BreakerState } from "#lib/vocabulary.ts";
import type { Verdict } from "./verdict.ts";

/**
 * An endpoint's circuit breaker. Nothing here knows the time or who asks: the claim starts the probe, settle
 * folds results in, and what waits is never touched.
 */
export type Breaker = {
  state: BreakerState;
  /** When the next probe may start; null unless open, Infinity while held by hand. */
  retryAtMs: number | null;
  /** How long it stays open the next time; while open, this time. */
  cooldownSeconds: number;
  /** Counted failures since the last success. */
  consecutiveFailures: number;
  recent: RecentAttempts;
  /**
   * Travels with every claimed delivery and back with its result. It rises whenever the results of earlier
   * claims must not count any more, so that a probe's result is known by it.
   */
  epoch: number;
  /** After closing, how many may be in flight; null when there is no such limit any more. */
  ramp: number | null;
  /** Answers since the ramp last grew. */
  rampAnswers: number;
};

/** Counted attempts and failures of the last five minutes, by half minutes, the newest first. */
export type RecentAttempts = {
  /** The newest half minute, counted from 1970. */
  slot: number;
  attempts: readonly number[];
  failures: readonly number[];
};

export type BreakerResult = { epoch: number; verdict: Verdict };

/** One line of a breaker's history. `cooldownSeconds`: how long it stays open, where `to` is open. */
export type BreakerTransition = {
  from: BreakerState;
  to: BreakerState;
  cause: BreakerCause;
  cooldownSeconds: number;
};

export type BreakerChange = { breaker: Breaker; transitions: BreakerTransition[] };

const firstCooldownSeconds = 300;
const cooldownCapSeconds = 3_600;
const rateAttempts = 20;
const slotMs = 30_000;
const slots = 10;

const noRecentAttempts: RecentAttempts = { slot: 0, attempts: [], failures: [] };

/** The breaker of a new endpoint. */
export const newBreaker: Breaker = {
  state: "closed",
  retryAtMs: null,
  cooldownSeconds: firstCooldownSeconds,
  consecutiveFailures: 0,
  recent: noRecentAttempts,
  epoch: 0,
  ramp: null,
  rampAnswers: 0,
};

/**
 * Folds results in, in the order they came. `threshold`: counted failures in a row that open it (slow.ts).
 * `concurrency`: the endpoint's, where the ramp ends.
 */
export function settleResults(
  breaker: Breaker,
  results: readonly BreakerResult[],
  options: { nowMs: number; threshold: number; concurrency: number },
): BreakerChange {
  let change: BreakerChange = { breaker, transitions: [] };
  for (const result of results) {
    // What was claimed earlier, and whatever comes while it is open, is late and changes nothing.
    if (result.epoch !== change.breaker.epoch) continue;
    if (result.verdict === "unsent") change = settleUnsent(change, options.nowMs);
    else if (change.breaker.state === "half_open") change = settleProbe(change, result.verdict, options);
    else if (change.breaker.state === "closed") change = settleClosed(change, result.verdict, options);
  }
  return change;
}

/** The endpoint was asked nothing: as if this had not been claimed. */
function settleUnsent({ breaker, transitions }: BreakerChange, nowMs: number): BreakerChange {
  const freed = probeLost(breaker, nowMs);
  return { breaker: freed.breaker, transitions: [...transitions, ...freed.transitions] };
}

function settleProbe(
  change: BreakerChange,
  verdict: Exclude<Verdict, "unsent">,
  options: { nowMs: number; concurrency: number },
): BreakerChange {
  const { breaker } = change;
  if (verdict !== "failure") {
    const cause = verdict === "success" ? "probe_succeeded" : "probe_neutral";
    return move(change, closedAgain(breaker, options.concurrency), cause);
  }
  const cooldownSeconds = Math.min(breaker.cooldownSeconds * 2, cooldownCapSeconds);
  const consecutiveFailures = breaker.consecutiveFailures + 1;
  return move(change, opened({ ...breaker, cooldownSeconds, consecutiveFailures }, options), "probe_failed");
}

function settleClosed(
  change: BreakerChange,
  verdict: Exclude<Verdict, "unsent">,
  options: { nowMs: number; threshold: number; concurrency: number },
): BreakerChange {
  const { breaker, transitions } = change;
  if (verdict === "neutral") return { breaker: climbed(breaker, options.concurrency), transitions };
  const recent = counted(breaker.recent, verdict, options.nowMs);
  if (verdict === "success") {
    const settled = { ...breaker, recent, consecutiveFailures: 0 };
    return { breaker: climbed(settled, options.concurrency), transitions };
  }
  // Judged at a failure alone, so that no success ever opens it.
  const failing = { ...breaker, recent, consecutiveFailures: breaker.consecutiveFailures + 1 };
  const cause = openingCause(failing, options.threshold);
  return cause ? move(change, opened(failing, options), cause) : { breaker: failing, transitions };
}

function openingCause(breaker: Breaker, threshold: number): BreakerCause | null {
  if (breaker.consecutiveFailures >= threshold) return "consecutive_failures";
  const attempts = sum(breaker.recent.attempts);
  const failures = sum(breaker.recent.failures);
  return attempts >= rateAttempts && failures * 2 >= attempts ? "failure_rate" : null;
}

function opened(breaker: Breaker, options: { nowMs: number }): Breaker {
  return openAt(breaker, options.nowMs + breaker.cooldownSeconds * 1_000);
}

function openAt(breaker: Breaker, retryAtMs: number): Breaker {
  return { ...breaker, state: "open", retryAtMs, ramp: null, rampAnswers: 0 };
}

function closedAgain(breaker: Breaker, concurrency: number): Breaker {
  return { ...newBreaker, epoch: breaker.epoch, ramp: concurrency > 1 ? 1 : null };
}

/** The ramp doubles with every ramp's worth of answers that do not count against the endpoint. */
function climbed(breaker: Breaker, concurrency: number): Breaker {
  const { ramp, rampAnswers } = breaker;
  if (ramp === null) return breaker;
  if (rampAnswers + 1 < ramp) return { ...breaker, rampAnswers: rampAnswers + 1 };
  return { ...breaker, ramp: ramp * 2 < concurrency ? ramp * 2 : null, rampAnswers: 0 };
}

function counted(recent: RecentAttempts, verdict: Verdict, nowMs: number): RecentAttempts {
  const slot = Math.floor(nowMs / slotMs);
  // A clock that stepped back counts into the newest half minute.
  const passed = Math.min(Math.max(0, slot - recent.slot), slots);
  const add = (counts: readonly number[], n: number): number[] => {
    const kept = [...new Array<number>(passed).fill(0), ...counts].slice(0, slots);
    kept[0] = (kept[0] ?? 0) + n;
    return kept;
  };
  return {
    slot: Math.max(slot, recent.slot),
    attempts: add(recent.attempts, 1),
    failures: add(recent.failures, verdict === "failure" ? 1 : 0),
  };
}

function sum(counts: readonly number[]): number {
  return counts.reduce((total, n) => total + n, 0);
}

function move(change: BreakerChange, breaker: Breaker, cause: BreakerCause): BreakerChange {
  const { state: from } = change.breaker;
  const { state: to, cooldownSeconds } = breaker;
  return { breaker, transitions: [...change.transitions, { from, to, cause, cooldownSeconds }] };
}

/** What the claim does to an open breaker with the delivery that it takes: from then on nothing else goes. */
export function startProbe(breaker: Breaker): BreakerChange {
  if (breaker.state !== "open") return unchanged(breaker);
  const probing: Breaker = { ...breaker, state: "half_open", retryAtMs: null, epoch: breaker.epoch + 1 };
  return move(unchanged(breaker), probing, "probe_started");
}

/** The probe's worker died or gave the delivery back, or nothing could be sent: another probe may go at once, the cooldown as it was. */
export function probeLost(breaker: Breaker, nowMs: number): BreakerChange {
  if (breaker.state !== "half_open") return unchanged(breaker);
  return move(unchanged(breaker), openAt(breaker, nowMs), "probe_lost");
}

/** Opens it by hand: no probe until it is reset or closed by hand. */
export function hold(breaker: Breaker): BreakerChange {
  if (isHeld(breaker)) return unchanged(breaker);
  return move(unchanged(breaker), openAt(breaker, Number.POSITIVE_INFINITY), "held");
}

/** Ends a hold or a cooldown by hand: the next delivery is the probe, and the cooldown starts from the bottom. */
export function reset(breaker: Breaker, nowMs: number): BreakerChange {
  if (breaker.state !== "open") return unchanged(breaker);
  const fresh = { ...breaker, cooldownSeconds: firstCooldownSeconds };
  return move(unchanged(breaker), openAt(fresh, nowMs), "reset");
}

/** Closes it by hand, without a probe; it ramps up as after one. */
export function close(breaker: Breaker, concurrency: number): BreakerChange {
  if (breaker.state === "closed") return unchanged(breaker);
  const closed = { ...closedAgain(breaker, concurrency), epoch: breaker.epoch + 1 };
  return move(unchanged(breaker), closed, "closed_by_hand");
}

/**
 * URL, headers or secret were changed, or the endpoint was resumed: the next delivery is the probe, at once,
 * unless it is held by hand. A closed one forgets what it counted. Results of earlier requests count in no state.
 */
export function makeNextProbe(
  breaker: Breaker,
  options: { nowMs: number; cause: Extract<BreakerCause, "endpoint_changed" | "resumed"> },
): BreakerChange {
  const next = { ...breaker, epoch: breaker.epoch + 1 };
  if (breaker.state === "closed") {
    return unchanged({ ...next, consecutiveFailures: 0, recent: noRecentAttempts });
  }
  if (isHeld(breaker)) return unchanged(next);
  return move(unchanged(breaker), openAt(next, options.nowMs), options.cause);
}

/** Whether somebody holds it open by hand. */
export function isHeld(breaker: Breaker): boolean {
  return breaker.retryAtMs === Number.POSITIVE_INFINITY;
}

function unchanged(breaker: Breaker): BreakerChange {
  return { breaker, transitions: [] };
}
