import { describe, expect, it, test } from "vitest";
import { parseRetryAfter, retryAfterCapMs, retryAfterOf } from "#lib/delivery/retry-after.ts";

const nowMs = Date.UTC(2026, 10, 30, 8, 33, 48, 120);
const atMs = (...parts: Parameters<typeof Date.UTC>) => Date.UTC(...parts) - nowMs;

describe("case 12: Retry-After", () => {
  const understood: [string, number][] = [
    ["120", 120_000],
    ["0", 0],
    ["  7 ", 7_000],
    ["007", 7_000],
    ["86400", 86_400_000],
    ["Mon, 30 Nov 2026 08:35:48 GMT", atMs(2026, 10, 30, 8, 35, 48)],
    ["Monday, 30-Nov-26 08:35:48 GMT", atMs(2026, 10, 30, 8, 35, 48)],
    ["Mon Nov 30 08:35:48 2026", atMs(2026, 10, 30, 8, 35, 48)],
    ["Tue Dec  1 08:00:00 2026", atMs(2026, 11, 1, 8)],
    ["Mon, 30 Nov 2026 23:59:60 GMT", atMs(2026, 11, 1)],
    // The name of the day is wrong; the date says it all.
    ["Sun, 30 Nov 2026 08:35:48 GMT", atMs(2026, 10, 30, 8, 35, 48)],
    ["Mon, 30 Nov 2026 08:33:48 GMT", 0],
    ["Sun, 06 Nov 1994 08:49:37 GMT", 0],
    ["Sunday, 06-Nov-94 08:49:37 GMT", 0],
    ["Sun Nov  6 08:49:37 1994", 0],
  ];
  it.each(understood)("%j is understood", (value, delayMs) => {
    expect(parseRetryAfter(value, nowMs)).toEqual({ delayMs, capped: false });
  });

  const tooLong = [
    "86401",
    "315360000",
    "9".repeat(400),
    "Wed, 30 Nov 2036 08:33:48 GMT",
    "Tuesday, 01-Dec-26 08:33:49 GMT",
    // 50 years ahead is this century still.
    "Monday, 30-Nov-76 08:33:48 GMT",
  ];
  it.each(tooLong)("%j is capped at a day", (value) => {
    expect(parseRetryAfter(value, nowMs)).toEqual({ delayMs: retryAfterCapMs, capped: true });
  });

  test("two digits that would lie more than 50 years ahead are of the last century", () => {
    expect(parseRetryAfter("Monday, 30-Nov-77 08:33:48 GMT", nowMs)).toEqual({ delayMs: 0, capped: false });
  });

  const nonsense = [
    "-5",
    "-0",
    "abc",
    "",
    "-",
    "1.5",
    "1e3",
    "+5",
    "12x",
    "x12",
    "Mon, 31 Nov 2026 08:35:48 GMT",
    "Mon, 00 Nov 2026 08:35:48 GMT",
    "Mon, 29 Feb 2027 08:35:48 GMT",
    "Mon, 30 Nov 2026 24:00:00 GMT",
    "Mon, 30 Nov 2026 23:60:00 GMT",
    "Mon, 30 Nov 2026 23:59:61 GMT",
    "Mon, 30 Nov 2026 08:35:48",
    "Mon, 30 Nov 2026 08:35:48 CET",
    "Mon, 30 Nov 2026 08:35:48 GMT, 120",
    "x Mon, 30 Nov 2026 08:35:48 GMT",
    "Mon, 30 nov 2026 08:35:48 GMT",
    "Mon, 3 Nov 2026 08:35:48 GMT",
    "Foo, 30 Nov 2026 08:35:48 GMT",
    "Monday, 30-Nov-2026 08:35:48 GMT",
    "Mon, 30-Nov-26 08:35:48 GMT",
    "x Monday, 30-Nov-26 08:35:48 GMT",
    "Monday, 30-Nov-26 08:35:48 GMT x",
    "Mon Nov 1 08:35:48 2026",
    "x Mon Nov 30 08:35:48 2026",
    "Mon Nov 30 08:35:48 2026 GMT",
    "2026-11-30T08:35:48Z",
  ];
  it.each(nonsense)("%j is ignored", (value) => {
    expect(parseRetryAfter(value, nowMs)).toBeNull();
  });

  it.each(["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"])(
    "%s is its month",
    (month) => {
      const start = Date.parse(`1 ${month} 2027 00:00:00 GMT`);
      const wait = { delayMs: 1_000, capped: false };
      expect(parseRetryAfter(`Fri, 01 ${month} 2027 00:00:01 GMT`, start)).toEqual(wait);
      expect(parseRetryAfter(`Friday, 01-${month}-27 00:00:01 GMT`, start)).toEqual(wait);
      expect(parseRetryAfter(`Fri ${month}  1 00:00:01 2027`, start)).toEqual(wait);
    },
  );

  it.each(["Mon", "Tues", "Wednes", "Thurs", "Fri", "Satur", "Sun"])("%sday is a day", (stem) => {
    const short = stem.slice(0, 3);
    for (const value of [
      `${short}, 30 Nov 2026 08:33:49 GMT`,
      `${stem}day, 30-Nov-26 08:33:49 GMT`,
      `${short} Nov 30 08:33:49 2026`,
    ])
      expect(parseRetryAfter(value, nowMs)).toEqual({ delayMs: 880, capped: false });
  });
});

describe("retryAfterOf", () => {
  const headers = ["date", "retry-after", "Retry-After", "120", "retry-after", "7"];
  test("reads the header of 429 and 503, whatever its case, and the first of several", () => {
    expect(retryAfterOf({ status: 429, headers }, nowMs)).toEqual({ delayMs: 120_000, capped: false });
    expect(retryAfterOf({ status: 503, headers }, nowMs)).toEqual({ delayMs: 120_000, capped: false });
  });
  test("heeds it with no other status", () => {
    for (const status of [200, 301, 408, 500, 502, 504])
      expect(retryAfterOf({ status, headers }, nowMs)).toBeNull();
  });
  test("says nothing where there is none", () => {
    expect(retryAfterOf({ status: 429, headers: [] }, nowMs)).toBeNull();
    expect(retryAfterOf({ status: 429, headers: ["120", "120"] }, nowMs)).toBeNull();
    expect(
      retryAfterOf({ status: 429, headers: ["x", "1", "y", "retry-after", "z", "2"] }, nowMs),
    ).toBeNull();
  });
});
