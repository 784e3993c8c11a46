import fc from "fast-check";
import { createSerializer } from "nuqs/server";
import { expect, test } from "vitest";
import { attemptsWords } from "#components/deliveries/attempts-filter.tsx";
import {
  deliveryFilterParams,
  deliveryFilters,
  deliveryNarrowing,
  deliveryParams,
  loadDeliveryParams,
} from "#components/deliveries/list-params.ts";
import { withQuery } from "#lib/api/fetcher.ts";

const serialize = createSerializer(deliveryParams);
const value = fc.oneof(
  fc.constantFrom("failed,dead_letter", "2026-01-31T12:00:00+01:00", "a b&c=d#e%2B+", "é•💥"),
  fc.string({ minLength: 1, maxLength: 30, unit: "grapheme" }),
);
const anyParams = fc
  .record(
    Object.fromEntries(Object.keys(deliveryParams).map((name) => [name, fc.option(value)])) as Record<
      keyof typeof deliveryParams,
      fc.Arbitrary<string | null>
    >,
  )
  .filter((params) => Object.values(params).every((text) => text === null || text.isWellFormed()));

test("what is set comes back out of the URL as it was", () => {
  fc.assert(
    fc.property(anyParams, (params) => {
      const read = loadDeliveryParams(new URL(serialize("/deliveries", params), "http://x").searchParams);
      expect(read).toEqual(params);
    }),
  );
});

test("a delivery's link carries the list's filters, and not its place in it", () => {
  fc.assert(
    fc.property(anyParams, (params) => {
      const url = new URL(withQuery("/deliveries/1", deliveryNarrowing(params)), "http://x");
      const read = loadDeliveryParams(url.searchParams);
      expect(read).toEqual({ ...params, cursor: null });
      expect(Object.keys(deliveryFilters(read))).toEqual(
        Object.keys(deliveryFilterParams).filter((name) => read[name as keyof typeof read] !== null),
      );
    }),
  );
});

test.each([
  [null, null, null],
  ["2", null, "at least 2"],
  [null, "4", "at most 4"],
  ["2", "4", "2 to 4"],
  ["3", "3", "exactly 3"],
])("attempts from %s to %s are %s", (min, max, words) => {
  expect(attemptsWords({ min, max })).toBe(words);
});
