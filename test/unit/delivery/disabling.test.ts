import { describe, expect, it, test } from "vitest";
import { classify } from "#lib/delivery/classify.ts";
import {
  disablesAtOnce,
  disablingSignal,
  type FailureRow,
  noFailures,
  settleFailures,
} from "#lib/delivery/disabling.ts";
import { unsentCodes } from "#lib/delivery/unsent.ts";

const dayMs = 86_400_000;
const startMs = 1_764_491_628_000;
const failure = classify({ status: 500 });
const success = classify({ status: 200 });

describe("settleFailures", () => {
  test("a row begins with its first failure and ends with a success", () => {
    const one = settleFailures(noFailures, [failure], startMs);
    expect(one).toEqual({ sinceMs: startMs, latestMs: startMs, failures: 1, warnedDays: 0 });
    const three = settleFailures({ ...one, warnedDays: 1 }, [failure, failure], startMs + 5);
    expect(three).toEqual({ sinceMs: startMs, latestMs: startMs + 5, failures: 3, warnedDays: 1 });
    expect(settleFailures(three, [failure, success], startMs + 9)).toEqual(noFailures);
    expect(settleFailures(three, [success, failure], startMs + 9)).toEqual({
      sinceMs: startMs + 9,
      latestMs: startMs + 9,
      failures: 1,
      warnedDays: 0,
    });
  });
  test("a refused payload is a failure here; what was never sent is not", () => {
    expect(settleFailures(noFailures, [classify({ status: 422 })], startMs).failures).toBe(1);
    const one = settleFailures(noFailures, [failure], startMs);
    for (const errorCode of Object.values(unsentCodes)) {
      expect(settleFailures(one, [classify({ errorCode })], startMs + 5)).toEqual(one);
    }
  });
});

describe("disablingSignal", () => {
  const row = (days: number, change: Partial<FailureRow> = {}): FailureRow => ({
    sinceMs: startMs,
    latestMs: startMs + days * dayMs,
    failures: 10,
    warnedDays: 0,
    ...change,
  });
  const aMoment = 1 / dayMs;
  const cases: [string, FailureRow, ReturnType<typeof disablingSignal>][] = [
    ["nothing failed", noFailures, null],
    ["a success after the latest failure", row(40, { sinceMs: null, failures: 0 }), null],
    ["a row of unknown length", row(0, { latestMs: null }), null],
    ["less than a day", row(1 - aMoment), null],
    ["a day", row(1), { kind: "warn", days: 1 }],
    ["a day, with two failures", row(1, { failures: 2 }), { kind: "warn", days: 1 }],
    ["a day, warned", row(1, { warnedDays: 1 }), null],
    ["less than three days, warned", row(3 - aMoment, { warnedDays: 1 }), null],
    ["three days", row(3, { warnedDays: 1 }), { kind: "warn", days: 3 }],
    ["three days at once", row(3), { kind: "warn", days: 3 }],
    ["three days, warned", row(4, { warnedDays: 3 }), null],
    ["less than five days", row(5 - aMoment, { warnedDays: 3 }), null],
    ["five days", row(5, { warnedDays: 3 }), { kind: "disable", days: 5 }],
    ["five days, never warned", row(5), { kind: "disable", days: 5 }],
    ["five days, nine failures", row(5, { failures: 9, warnedDays: 3 }), null],
    ["five days, nine failures, not warned", row(5, { failures: 9 }), { kind: "warn", days: 3 }],
    ["forty days", row(40, { warnedDays: 3 }), { kind: "disable", days: 5 }],
  ];
  it.each(cases)("%s", (_, failures, signal) => {
    expect(disablingSignal(failures)).toEqual(signal);
  });

  test("case 22: two events a day, all failing: warned twice, at last disabled", () => {
    let failures = noFailures;
    const signals: [number, string, number][] = [];
    for (let half = 0; signals.at(-1)?.[1] !== "disable"; half++) {
      failures = settleFailures(failures, [failure], startMs + (half * dayMs) / 2);
      const signal = disablingSignal(failures);
      if (!signal) continue;
      signals.push([half / 2, signal.kind, signal.days]);
      failures = { ...failures, warnedDays: signal.days };
    }
    expect(signals).toEqual([
      [1, "warn", 1],
      [3, "warn", 3],
      [5, "disable", 5],
    ]);
  });
});

test("case 13: 410 disables at once, and nothing else does", () => {
  expect(disablesAtOnce(classify({ status: 410 }))).toBe(true);
  for (const status of [200, 301, 401, 404, 500]) expect(disablesAtOnce(classify({ status }))).toBe(false);
});
