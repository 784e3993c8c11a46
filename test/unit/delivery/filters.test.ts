import { describe, expect, test } from "vitest";
import { compareDecimals } from "#lib/delivery/decimal.ts";
import { checkFilters, type Filter, failingFilter } from "#lib/delivery/filters.ts";
import type { FieldKind } from "#lib/vocabulary.ts";

const kinds = new Map<string, FieldKind>([
  ["country", "string"],
  ["payout", "decimal"],
  ["deposit_number", "integer"],
  ["vip", "boolean"],
]);
const event = (values: Record<string, string>) => ({ values: new Map(Object.entries(values)), kinds });

describe("an event passes a filter", () => {
  test.each<[string, Filter, Record<string, string>, boolean]>([
    ["present", { field: "country", is: "present" }, { country: "DE" }, true],
    ["missing", { field: "country", is: "present" }, {}, false],
    ["equal", { field: "country", is: "equal", value: "DE" }, { country: "DE" }, true],
    ["equal but for case", { field: "country", is: "equal", value: "DE" }, { country: "de" }, false],
    ["missing is equal to nothing", { field: "country", is: "equal", value: "" }, {}, false],
    ["equal as numbers", { field: "payout", is: "equal", value: "10" }, { payout: "10.00" }, true],
    [
      "text that looks like a number",
      { field: "country", is: "equal", value: "7" },
      { country: "007" },
      false,
    ],
    ["one of", { field: "country", is: "one_of", values: ["AT", "DE"] }, { country: "DE" }, true],
    ["none of", { field: "country", is: "one_of", values: ["AT", "CH"] }, { country: "DE" }, false],
    ["one of numbers", { field: "payout", is: "one_of", values: ["5", "1e1"] }, { payout: "10.0" }, true],
    ["less", { field: "payout", is: "less_than", value: "10" }, { payout: "9.999" }, true],
    ["not less", { field: "payout", is: "less_than", value: "10" }, { payout: "10.0" }, false],
    ["at most", { field: "payout", is: "at_most", value: "10" }, { payout: "10.0" }, true],
    ["at least", { field: "deposit_number", is: "at_least", value: "2" }, { deposit_number: "2" }, true],
    ["greater", { field: "payout", is: "greater_than", value: "-1" }, { payout: "0" }, true],
    ["not greater", { field: "payout", is: "greater_than", value: "10" }, { payout: "10" }, false],
    ["no number", { field: "payout", is: "at_least", value: "0" }, { payout: "free" }, false],
    ["boolean", { field: "vip", is: "equal", value: "true" }, { vip: "true" }, true],
  ])("%s", (_name, filter, values, passes) => {
    expect(failingFilter([filter], event(values))).toEqual(passes ? null : filter);
  });

  test("all filters must pass; the first that does not is named", () => {
    const filters: Filter[] = [
      { field: "country", is: "equal", value: "DE" },
      { field: "payout", is: "at_least", value: "5" },
    ];
    expect(failingFilter(filters, event({ country: "DE", payout: "4" }))).toEqual(filters[1]);
    expect(failingFilter([], event({}))).toBeNull();
  });

  test("names of prototypes are names as others are", () => {
    expect(failingFilter([{ field: "constructor", is: "present" }], event({}))).not.toBeNull();
  });
});

describe("numbers are compared exactly", () => {
  test.each([
    ["12345678901234567890.120000000000000001", "12345678901234567890.12", 1],
    ["0.1", "0.10", 0],
    ["-0", "0.0", 0],
    ["-2", "-1", -1],
    ["1e400", "9e399", 1],
    ["1e-400", "0", 1],
    ["100", "1E+2", 0],
    ["0.00120", "1.2e-3", 0],
    ["9", "10", -1],
    ["-1", "1", -2],
  ])("%s and %s", (a, b, sign) => {
    expect(Math.sign(compareDecimals(a, b))).toBe(Math.sign(sign));
    expect(Math.sign(compareDecimals(b, a))).toBe(-Math.sign(sign) + 0);
  });
});

describe("filters that cannot be saved", () => {
  const types = [
    { fields: [...kinds].map(([name, kind]) => ({ name, kind })) },
    { fields: [{ name: "deposit_number", kind: "string" as const }] },
  ];
  test.each<[string, Filter, "field" | "value" | "values" | null]>([
    ["known field", { field: "country", is: "present" }, null],
    ["unknown field", { field: "contry", is: "present" }, "field"],
    ["prototype name", { field: "__proto__", is: "present" }, "field"],
    ["comparison of text", { field: "country", is: "at_least", value: "1" }, "field"],
    ["a number in one type only", { field: "deposit_number", is: "at_least", value: "1" }, "field"],
    ["not a number", { field: "payout", is: "at_most", value: "ten" }, "value"],
    ["not a number to be equal to", { field: "payout", is: "equal", value: "ten" }, "value"],
    ["not a number among others", { field: "payout", is: "one_of", values: ["1", "ten"] }, "values"],
    ["neither true nor false", { field: "vip", is: "equal", value: "yes" }, "value"],
    ["true", { field: "vip", is: "equal", value: "true" }, null],
  ])("%s", (_name, filter, at) => {
    const faults = checkFilters([{ field: "country", is: "present" }, filter], types);
    expect(faults.map(({ filter: place, field }) => [place, field])).toEqual(at ? [[1, at]] : []);
  });
});
