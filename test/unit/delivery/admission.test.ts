import { describe, expect, it, test } from "vitest";
import { admit, type Gate, readyAtMs } from "#lib/delivery/admission.ts";
import { newBreaker } from "#lib/delivery/breaker.ts";
import { type RateLimit, tokenParts } from "#lib/delivery/token-bucket.ts";

const nowMs = 1_000_000;
const gate: Gate = {
  readyAtMs: Number.NEGATIVE_INFINITY,
  breaker: "closed",
  ramp: null,
  inFlight: 0,
  concurrency: 16,
  rate: null,
};
const limit: RateLimit = { amount: 60, per: "minute", burst: 6 };
const rate = (tokens: number, atMs = nowMs) => ({ limit, bucket: { level: tokens * tokenParts, atMs } });

describe("admit", () => {
  const cases: [string, Partial<Gate>, number, number][] = [
    ["takes its share", {}, 10, 10],
    ["holds a few times its concurrency", {}, 100, 64],
    ["leaves room for what is in flight", { inFlight: 60 }, 100, 4],
    ["takes nothing when it is full", { inFlight: 64 }, 100, 0],
    ["takes nothing when it is more than full", { inFlight: 80 }, 100, 0],
    ["takes nothing before its time", { readyAtMs: nowMs + 1 }, 10, 0],
    ["takes at its time", { readyAtMs: nowMs }, 10, 10],
    ["takes one as the probe", { breaker: "open", readyAtMs: nowMs }, 10, 1],
    ["takes a probe whatever is in flight", { breaker: "open", inFlight: 64 }, 10, 1],
    ["takes no probe before its time", { breaker: "open", readyAtMs: nowMs + 1 }, 10, 0],
    ["takes nothing beside the probe", { breaker: "half_open" }, 10, 0],
    ["takes what its tokens allow", { rate: rate(3.99) }, 10, 3],
    ["takes nothing without a token", { rate: rate(0.99) }, 10, 0],
    ["takes what was refilled since", { rate: rate(1, nowMs - 2_000) }, 10, 3],
    ["takes no more than its share of the tokens", { rate: rate(6) }, 2, 2],
    ["takes no more than fits in flight", { rate: rate(6), inFlight: 62 }, 10, 2],
    ["takes no more under a rate than it may send at once", { rate: rate(6), concurrency: 4 }, 10, 2],
    ["takes one under a rate however many share it", { rate: rate(6), concurrency: 1 }, 10, 1],
    ["takes no probe without a token", { breaker: "open", rate: rate(0) }, 10, 0],
    ["takes a probe with a token", { breaker: "open", rate: rate(5) }, 10, 1],
    ["takes nothing without a share", { breaker: "open" }, 0, 0],
    ["takes what the ramp allows", { ramp: 4 }, 100, 4],
    ["leaves room in the ramp", { ramp: 4, inFlight: 3 }, 100, 1],
    ["keeps a concurrency that is lower than the ramp", { ramp: 8, concurrency: 2 }, 100, 2],
  ];
  it.each(cases)("%s", (_, change, share, expected) => {
    expect(admit({ ...gate, ...change }, { nowMs, share, holdFactor: 4, workersAlive: 2 })).toBe(expected);
  });
});

describe("readyAtMs", () => {
  const open = { ...newBreaker, state: "open", retryAtMs: 500 } as const;
  const endpoint = { active: true, breaker: newBreaker, heldUntilMs: null, rate: null };

  test("nothing is in the way of a healthy endpoint", () => {
    expect(readyAtMs(endpoint)).toBe(Number.NEGATIVE_INFINITY);
  });
  test("a stopped endpoint, a probe under way and a hold by hand have no end of their own", () => {
    expect(readyAtMs({ ...endpoint, active: false })).toBe(Number.POSITIVE_INFINITY);
    expect(readyAtMs({ ...endpoint, breaker: { state: "half_open", retryAtMs: null } })).toBe(
      Number.POSITIVE_INFINITY,
    );
    expect(readyAtMs({ ...endpoint, breaker: { state: "open", retryAtMs: Number.POSITIVE_INFINITY } })).toBe(
      Number.POSITIVE_INFINITY,
    );
  });
  test("the latest of cooldown, hold and next token", () => {
    expect(readyAtMs({ ...endpoint, breaker: open })).toBe(500);
    expect(readyAtMs({ ...endpoint, breaker: open, heldUntilMs: 700 })).toBe(700);
    expect(readyAtMs({ ...endpoint, breaker: open, heldUntilMs: 300 })).toBe(500);
    expect(readyAtMs({ ...endpoint, heldUntilMs: 300, rate: rate(0.5, 0) })).toBe(500);
    expect(readyAtMs({ ...endpoint, heldUntilMs: 900, rate: rate(0.5, 0) })).toBe(900);
    expect(readyAtMs({ ...endpoint, rate: rate(1, 40) })).toBe(40);
  });
});
