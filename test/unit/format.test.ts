import { describe, expect, it } from "vitest";
import {
  formatAbsolute,
  formatBucket,
  formatBytes,
  formatCapped,
  formatCount,
  formatMinute,
  formatMs,
  formatNoun,
  formatRelative,
  formatShare,
  formatSince,
  formatSinceDay,
  formatSpan,
  formatUpcoming,
  truncateMiddle,
} from "#lib/format.ts";

describe("counts", () => {
  it("groups thousands, and marks a count that stopped early", () => {
    expect(formatCount(0)).toBe("0");
    expect(formatCount(1_234_567)).toBe("1,234,567");
    expect(formatCapped({ count: 1_000, capped: true })).toBe("1,000+");
    expect(formatCapped({ count: 1_000, capped: false })).toBe("1,000");
  });

  it("agrees with its noun", () => {
    expect(formatNoun(1, "attempt")).toBe("1 attempt");
    expect(formatNoun(0, "attempt")).toBe("0 attempts");
    expect(formatNoun(2, "delivery", "deliveries")).toBe("2 deliveries");
  });
});

it("says a share in percent, and never rounds to all or none of it", () => {
  expect(formatShare(0, 7)).toBe("0 %");
  expect(formatShare(1, 3)).toBe("33.3 %");
  expect(formatShare(7, 7)).toBe("100 %");
  expect(formatShare(1, 100_000)).toBe("<0.1 %");
  expect(formatShare(99_999, 100_000)).toBe("99.9 %");
  expect(formatShare(0, 0)).toBe("–");
});

it("names the day of a time past unless it is today's in the reader's zone", () => {
  const nowMs = Date.parse("2026-11-30T14:00:00.000Z");
  expect(formatSince("2026-11-30T00:05:00.000Z", nowMs, "UTC")).toBe("00:05");
  expect(formatSince("2026-11-30T00:05:00.000Z", nowMs, "America/New_York")).toBe("2026-11-29 19:05");
  expect(formatSince("2026-11-29T23:55:00.000Z", nowMs, "UTC")).toBe("2026-11-29 23:55");
});

it("a time past is called as people call it", () => {
  // A Monday.
  const nowMs = Date.parse("2026-11-30T14:00:00.000Z");
  const words = (iso: string, zone = "UTC") => formatSinceDay(iso, nowMs, zone);
  expect(words("2026-11-30T00:05:00.000Z")).toBe("00:05");
  expect(words("2026-11-30T00:05:00.000Z", "America/New_York")).toBe("yesterday 19:05");
  expect(words("2026-11-29T23:55:00.000Z")).toBe("yesterday 23:55");
  expect(words("2026-11-28T23:55:00.000Z")).toBe("Saturday 23:55");
  expect(words("2026-11-24T09:00:00.000Z")).toBe("Tuesday 09:00");
  expect(words("2026-11-23T23:59:00.000Z")).toBe("2026-11-23 23:59");
});

describe("durations", () => {
  it("shows three digits at most until minutes begin", () => {
    expect(formatMs(0.4)).toBe("<1 ms");
    expect(formatMs(38.4)).toBe("38 ms");
    expect(formatMs(999.6)).toBe("1.00 s");
    expect(formatMs(1_240)).toBe("1.24 s");
    expect(formatMs(15_000)).toBe("15.0 s");
    expect(formatMs(99_949)).toBe("99.9 s");
    expect(formatMs(99_950)).toBe("1 min 40 s");
  });

  it("shows a span in its two largest units and leaves out a zero", () => {
    expect(formatSpan(0)).toBe("0 s");
    expect(formatSpan(-5_000)).toBe("0 s");
    expect(formatSpan(40_000)).toBe("40 s");
    expect(formatSpan(130_000)).toBe("2 min 10 s");
    expect(formatSpan(3_600_000)).toBe("1 h");
    expect(formatSpan(3_605_000)).toBe("1 h");
    expect(formatSpan(51 * 3_600_000)).toBe("2 d 3 h");
    expect(formatSpan(59_600)).toBe("1 min");
  });
});

describe("times", () => {
  const nowMs = Date.parse("2026-11-30T14:00:00.000Z");
  const ago = (ms: number) => formatRelative(new Date(nowMs - ms).toISOString(), nowMs);

  it("says how long ago in one unit", () => {
    expect(ago(0)).toBe("just now");
    expect(ago(4_999)).toBe("just now");
    expect(ago(5_000)).toBe("5 s ago");
    expect(ago(59_999)).toBe("59 s ago");
    expect(ago(60_000)).toBe("1 min ago");
    expect(ago(2 * 3_600_000 + 59 * 60_000)).toBe("2 h ago");
    expect(ago(49 * 3_600_000)).toBe("2 d ago");
  });

  it("says how far ahead in two units, and nothing about half a second", () => {
    expect(ago(-500)).toBe("just now");
    expect(ago(-130_000)).toBe("in 2 min 10 s");
  });

  it("names date, time and zone in one form", () => {
    expect(formatAbsolute("2026-11-30T14:02:31.900Z", "UTC")).toBe("2026-11-30 14:02:31 UTC");
    expect(formatAbsolute("2026-07-01T23:30:00.000Z", "Europe/Berlin")).toMatch(
      /^2026-07-02 01:30:00 (CEST|GMT\+2)$/,
    );
    expect(formatAbsolute("2026-11-30T00:00:00.000Z", "UTC")).toBe("2026-11-30 00:00:00 UTC");
    expect(formatMinute("2026-11-30T14:02:31.900Z", "UTC")).toBe("14:02");
    const bucket = (span: "minute" | "hour" | "day") =>
      formatBucket("2026-11-30T00:00:00.000Z", span, "America/New_York");
    expect([bucket("minute"), bucket("hour"), bucket("day")]).toEqual(["19:00", "11-29 19:00", "2026-11-30"]);
  });
});

describe("texts", () => {
  it("keeps both ends", () => {
    expect(truncateMiddle("0197c1a2-aaaa", 20)).toBe("0197c1a2-aaaa");
    expect(truncateMiddle("abcdefghij", 5)).toBe("ab…ij");
    expect(truncateMiddle("abcdefghij", 6)).toBe("abc…ij");
    expect(truncateMiddle("abcdefghij", 2)).toBe("a…");
  });

  it("never cuts a character in half", () => {
    expect(truncateMiddle("😀😀😀😀😀😀", 3)).toBe("😀…😀");
  });

  it("shows sizes in binary units", () => {
    expect(formatBytes(812)).toBe("812 B");
    expect(formatBytes(65_536)).toBe("64.0 KiB");
    expect(formatBytes(1_048_576)).toBe("1.0 MiB");
  });
});

describe("a time ahead", () => {
  const upcoming = (iso: string, zone: string) =>
    formatUpcoming(iso, Date.parse("2026-03-28T23:30:00.000Z"), zone);

  it("is named by its day in the reader's zone", () => {
    expect(upcoming("2026-03-28T23:59:00.000Z", "UTC")).toBe("today 23:59");
    expect(upcoming("2026-03-29T00:00:00.000Z", "UTC")).toBe("tomorrow 00:00");
    expect(upcoming("2026-03-30T00:00:00.000Z", "UTC")).toBe("2026-03-30 00:00");
    expect(upcoming("2026-03-29T00:00:00.000Z", "America/New_York")).toBe("today 20:00");
  });

  it("counts calendar days, also where one has 23 hours", () => {
    expect(upcoming("2026-03-29T22:30:00.000Z", "Europe/Berlin")).toBe("tomorrow 00:30");
  });
});
