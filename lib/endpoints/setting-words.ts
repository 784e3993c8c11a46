import type { Filter } from "#lib/delivery/filters.ts";
import type { ResponseRule } from "#lib/delivery/response-rules.ts";
import type { RateLimit } from "#lib/delivery/token-bucket.ts";
import { formatCount, formatNoun } from "#lib/format.ts";

export type RuleKind = ResponseRule["kind"];

export const ruleKindLabels = {
  body_contains: "Body contains",
  body_does_not_contain: "Body does not contain",
  body_equals: "Body is exactly",
  status_in: "Status is one of",
  duplicate: "Body means a duplicate",
} satisfies Record<RuleKind, string>;

export const ruleKinds = Object.keys(ruleKindLabels) as RuleKind[];

/** What a rule of each kind does, in one sentence. */
export const ruleKindHints = {
  body_contains: "Only an answer with this text is a success.",
  body_does_not_contain: "An answer with this text is not a success.",
  body_equals: "Only an answer that says this and nothing else is a success.",
  status_in: "Only these of the statuses from 200 to 299 are a success.",
  duplicate: "An answer with this text counts as delivered, whatever its status and the other rules.",
} satisfies Record<RuleKind, string>;

/** `100 requests per minute, 10 at once after a pause`. */
export function rateWords(limit: RateLimit | null): string {
  if (limit === null) return "No limit";
  return `${formatNoun(limit.amount, "request")} per ${limit.per}, ${formatCount(limit.burst)} at once after a pause`;
}

/** One rule as a sentence: `Body contains “OK”; else retried`. */
export function ruleWords(rule: ResponseRule): string {
  const what = rule.kind === "status_in" ? rule.statuses.join(", ") : `“${rule.text}”`;
  const words = `${ruleKindLabels[rule.kind]} ${what}`;
  if (rule.kind === "duplicate") return `${words}: delivered`;
  return `${words}; else ${rule.retry ? "retried" : "a dead letter"}`;
}

export type FilterKind = Filter["is"];

export const filterKindLabels = {
  present: "is there",
  equal: "is",
  one_of: "is one of",
  less_than: "is less than",
  at_most: "is at most",
  at_least: "is at least",
  greater_than: "is greater than",
} satisfies Record<FilterKind, string>;

export const filterKinds = Object.keys(filterKindLabels) as FilterKind[];

/** One condition in words: `country is one of DE, AT`. */
export function filterWords(filter: Filter): string {
  const words = `${filter.field} ${filterKindLabels[filter.is]}`;
  if (filter.is === "present") return words;
  return `${words} ${filter.is === "one_of" ? filter.values.join(", ") : filter.value}`;
}
