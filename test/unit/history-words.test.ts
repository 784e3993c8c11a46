import { expect, test } from "vitest";
import { latencyWords, outcomeWords } from "#components/charts/history-words.ts";
import type { History } from "#lib/stats/schema.ts";

const gap = { attempts: 0, p50_ms: null, p95_ms: null, p99_ms: null, outcomes: null };
const outcomes = {
  delivered: 1_180,
  redirect: 0,
  client_error: 0,
  server_error: 4,
  timeout: 1,
  network: 0,
  other: 19,
};
const counts = { attempts: 1_204, p50_ms: 80.4, p95_ms: 240.9, p99_ms: 1_204.7, outcomes };
const history: History = {
  from: "2026-01-30T12:00:00.000Z",
  to: "2026-01-31T13:00:00.000Z",
  resolution: "hour",
  total: counts,
  buckets: [
    { at: "2026-01-30T12:00:00.000Z", ...gap },
    { at: "2026-01-30T13:00:00.000Z", ...counts, attempts: 4, p95_ms: 9_000 },
    { at: "2026-01-30T14:00:00.000Z", ...counts, attempts: 1_200, p95_ms: 90 },
  ],
  breaker: null,
  at: "2026-01-31T12:34:56.789Z",
};

test("what a latency chart shows, in words: what is not over ends now", () => {
  const range = "from 2026-01-30 12:00 to 2026-01-31 12:34 UTC";
  expect(latencyWords({ history, timeZone: "UTC" })).toBe(
    `Of 1,204 attempts ${range}: P50 80 ms, P95 241 ms, P99 1.20 s. The slowest hour was 01-30 13:00 with a P95 of 9.00 s over 4 attempts.`,
  );
  expect(latencyWords({ history: { ...history, total: gap }, timeZone: "UTC" })).toBe(
    `No attempt was made ${range}.`,
  );
});

test("the breaker's part of it", () => {
  const said = (breaker: History["breaker"]) =>
    latencyWords({ history: { ...history, breaker }, timeZone: "UTC" }).split("attempts. ")[1];
  expect(said({ spans: [], openings: 0, seconds_not_closed: 0 })).toBe("Its breaker was closed throughout.");
  expect(said({ spans: [], openings: 1, seconds_not_closed: 5_400 })).toBe(
    "Its breaker opened 1 time and was not closed for 1 h 30 min.",
  );
  expect(said({ spans: [], openings: 0, seconds_not_closed: 60 })).toBe(
    "Its breaker was not closed for 1 min.",
  );
});

test("what an outcome chart shows; days are those of UTC in any zone", () => {
  expect(outcomeWords({ history, timeZone: "America/New_York" })).toBe(
    "Of 1,204 attempts from 2026-01-30 07:00 to 2026-01-31 07:34 GMT-5, 1,180 (98.0 %) delivered; 4 server errors (5xx), 1 timeout, 19 other failures.",
  );
  const days: History = { ...history, resolution: "day", total: gap };
  expect(outcomeWords({ history: days, timeZone: "America/New_York" })).toBe(
    "No attempt was made from 2026-01-30 12:00 to 2026-01-31 12:34 UTC.",
  );
});
