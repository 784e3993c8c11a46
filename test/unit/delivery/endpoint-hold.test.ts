import { expect, test } from "vitest";
import { type HoldResult, noHold, settleHold } from "#lib/delivery/endpoint-hold.ts";

const nowMs = 1_000_000;
const answer = (status: number, change: Partial<HoldResult> = {}): HoldResult => ({
  verdict: status === 200 ? "success" : "failure",
  status,
  retryAfterMs: null,
  startedAtMs: nowMs - 100,
  ...change,
});

test("with Retry-After the endpoint is held that long, but an hour at most", () => {
  for (const status of [429, 503]) {
    expect(settleHold(noHold, [answer(status, { retryAfterMs: 120_000 })], nowMs).heldUntilMs).toBe(
      1_120_000,
    );
    expect(settleHold(noHold, [answer(status, { retryAfterMs: 86_400_000 })], nowMs).heldUntilMs).toBe(
      4_600_000,
    );
  }
});

test("a 429 without it: 5 s, doubling to 5 min, until a success", () => {
  let hold = noHold;
  let atMs = nowMs;
  const waits: number[] = [];
  for (let i = 0; i < 9; i++) {
    hold = settleHold(hold, [answer(429, { startedAtMs: atMs })], atMs);
    const until = hold.heldUntilMs as number;
    waits.push(until - atMs);
    atMs = until;
  }
  expect(waits).toEqual([5_000, 10_000, 20_000, 40_000, 80_000, 160_000, 300_000, 300_000, 300_000]);
  expect(hold.rateLimitedInARow).toBe(9);
  hold = settleHold(hold, [answer(200, { startedAtMs: atMs }), answer(429, { startedAtMs: atMs })], atMs);
  expect(hold).toEqual({ heldUntilMs: atMs + 5_000, rateLimitedInARow: 1 });
});

test("a row as long as one likes does not pass the limit", () => {
  expect(settleHold({ heldUntilMs: null, rateLimitedInARow: 5_000 }, [answer(429)], nowMs)).toEqual({
    heldUntilMs: nowMs + 300_000,
    rateLimitedInARow: 5_001,
  });
});

test("of requests that were under way together one 429 counts, not sixteen", () => {
  const together = Array.from({ length: 16 }, () => answer(429));
  expect(settleHold(noHold, together, nowMs)).toEqual({ heldUntilMs: nowMs + 5_000, rateLimitedInARow: 1 });
});

test("a request that started when the hold ended counts", () => {
  const held = { heldUntilMs: nowMs, rateLimitedInARow: 1 };
  expect(settleHold(held, [answer(429, { startedAtMs: nowMs - 1 })], nowMs + 10)).toEqual(held);
  expect(settleHold(held, [answer(429, { startedAtMs: nowMs })], nowMs + 10)).toEqual({
    heldUntilMs: nowMs + 10_010,
    rateLimitedInARow: 2,
  });
});

test("the longest hold stays; a 429 with Retry-After counts in the row too", () => {
  const long = settleHold(noHold, [answer(429, { retryAfterMs: 60_000 })], nowMs);
  expect(long).toEqual({ heldUntilMs: nowMs + 60_000, rateLimitedInARow: 1 });
  expect(settleHold(long, [answer(503, { retryAfterMs: 1_000 }), answer(429)], nowMs)).toEqual(long);
});

test("other answers neither hold nor count, and only a success resets", () => {
  const held = { heldUntilMs: nowMs - 50, rateLimitedInARow: 3 };
  const others = [answer(503), answer(500), answer(400, { verdict: "neutral" }), answer(0, { status: null })];
  expect(settleHold(held, others, nowMs)).toEqual(held);
  expect(settleHold(noHold, others, nowMs)).toEqual(noHold);
  expect(settleHold(held, [answer(200)], nowMs)).toEqual({ ...held, rateLimitedInARow: 0 });
});
