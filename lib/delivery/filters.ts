import type { FieldKind } from "#lib/vocabulary.ts";
import { compareDecimals, isDecimal } from "./decimal.ts";

export const numericComparisons = ["less_than", "at_most", "at_least", "greater_than"] as const;
export type NumericComparison = (typeof numericComparisons)[number];

/** One condition on a field of an event's data. Values are text, numbers with the digits they came with. */
export type Filter =
  | { field: string; is: "present" }
  | { field: string; is: "equal"; value: string }
  | { field: string; is: "one_of"; values: readonly string[] }
  | { field: string; is: NumericComparison; value: string };

export type FilterField = { name: string; kind: FieldKind };
/** What is wrong with a list of filters: the filter's place, which of its members, and why. */
export type FilterFault = { filter: number; field: "field" | "value" | "values"; message: string };

/**
 * The first filter that the event does not pass, or null: then the endpoint wants it. `values` are those of
 * readFields; a missing value passes no filter, and one that is no number no comparison of numbers.
 * `kinds`: those of the event type's fields; numbers are equal as numbers, so that 10.0 is 10.
 */
export function failingFilter(
  filters: readonly Filter[],
  { values, kinds }: { values: ReadonlyMap<string, string>; kinds: ReadonlyMap<string, FieldKind> },
): Filter | null {
  return filters.find((filter) => !passes(filter, values.get(filter.field), kinds.get(filter.field))) ?? null;
}

function passes(filter: Filter, value: string | undefined, kind: FieldKind | undefined): boolean {
  if (value === undefined) return false;
  const equals = (other: string) =>
    value === other || (isNumeric(kind) && isDecimal(value) && compareDecimals(value, other) === 0);
  switch (filter.is) {
    case "present":
      return true;
    case "equal":
      return equals(filter.value);
    case "one_of":
      return filter.values.some(equals);
    default:
      return isDecimal(value) && holds(filter.is, compareDecimals(value, filter.value));
  }
}

function holds(comparison: NumericComparison, difference: number): boolean {
  switch (comparison) {
    case "less_than":
      return difference < 0;
    case "at_most":
      return difference <= 0;
    case "at_least":
      return difference >= 0;
    case "greater_than":
      return difference > 0;
  }
}

/**
 * What keeps the filters from being saved: a field that no subscribed event type has, or a value that the field can
 * never have. `eventTypes`: all those that the endpoint subscribes to.
 */
export function checkFilters(
  filters: readonly Filter[],
  eventTypes: readonly { fields: readonly FilterField[] }[],
): FilterFault[] {
  return filters.flatMap((filter, place): FilterFault[] => {
    const kinds = eventTypes.flatMap((type) =>
      type.fields.filter((field) => field.name === filter.field).map((field) => field.kind),
    );
    if (kinds.length === 0) {
      return [{ filter: place, field: "field", message: "is a field of none of the subscribed event types" }];
    }
    const numeric = kinds.every(isNumeric);
    if (isComparison(filter) && !numeric) {
      const message = "is not a number in every event type that has it, so it cannot be compared as one";
      return [{ filter: place, field: "field", message }];
    }
    return valueFault(filter, { numeric, boolean: kinds.every((kind) => kind === "boolean"), place });
  });
}

function valueFault(
  filter: Filter,
  { numeric, boolean, place }: { numeric: boolean; boolean: boolean; place: number },
): FilterFault[] {
  if (filter.is === "present") return [];
  const [field, values] =
    filter.is === "one_of" ? (["values", filter.values] as const) : (["value", [filter.value]] as const);
  if (numeric && !values.every(isDecimal)) {
    return [{ filter: place, field, message: "must be a number, such as 10 or 12.50" }];
  }
  if (boolean && !values.every((value) => value === "true" || value === "false")) {
    return [{ filter: place, field, message: "must be true or false" }];
  }
  return [];
}

function isNumeric(kind: FieldKind | undefined): boolean {
  return kind === "integer" || kind === "decimal";
}

function isComparison(filter: Filter): boolean {
  return (numericComparisons as readonly string[]).includes(filter.is);
}
