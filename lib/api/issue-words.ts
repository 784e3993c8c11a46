import type { z } from "zod";
import { formatCount, formatSpan } from "#lib/format.ts";

const typeWords: Partial<Record<string, string>> = {
  string: "text",
  number: "a number",
  int: "a whole number",
  boolean: "true or false",
  array: "a list",
  object: "an object",
};

const unitMs = { ms: 1, seconds: 1_000, hours: 3_600_000 };
const unitWords = { ms: "ms", seconds: "s", hours: "h" } satisfies Record<keyof typeof unitMs, string>;

/**
 * What is wrong with a field, in the plain words that API and console share: they go on where the field's name
 * ends (`must be at least 1,000 ms (1 s)`). The unit is the one at the end of the name. For zod's `error` option.
 */
export const issueWords: z.core.$ZodErrorMap = (issue) => {
  switch (issue.code) {
    case "invalid_type":
      if (issue.input === undefined) return "is needed";
      return `must be ${typeWords[issue.expected] ?? issue.expected}`;
    case "invalid_value":
      return `must be ${issue.values.length > 1 ? "one of " : ""}${issue.values.map(String).join(", ")}`;
    case "invalid_union":
      return Array.isArray(issue.options)
        ? `must be one of ${issue.options.map(String).join(", ")}`
        : undefined;
    case "too_small":
      if (issue.origin === "string" && issue.minimum === 1) return "is needed";
      return bound(issue, `at least ${amount(issue, issue.minimum)}`);
    case "too_big":
      return bound(issue, `at most ${amount(issue, issue.maximum)}`);
    default:
      return undefined;
  }
};

function bound({ origin }: { origin: string }, words: string): string {
  return `must ${origin === "array" ? "have" : "be"} ${words}`;
}

/** `1,000 ms (1 s)`, `3 characters`, `1 entry`, `30`. */
function amount(
  { origin, path }: { origin: string; path?: PropertyKey[] | undefined },
  limit: number | bigint,
): string {
  const count = Number(limit);
  const plural = count === 1 ? 0 : 1;
  if (origin === "string") return `${formatCount(count)} ${["character", "characters"][plural]}`;
  if (origin === "array") return `${formatCount(count)} ${["entry", "entries"][plural]}`;
  const unit = String(path?.at(-1) ?? "")
    .split("_")
    .at(-1);
  if (unit === undefined || !(unit in unitMs)) return formatCount(count);
  const name = unit as keyof typeof unitMs;
  const inUnit = `${formatCount(count)} ${unitWords[name]}`;
  const span = formatSpan(count * unitMs[name]);
  return count === 0 || span === inUnit ? inUnit : `${inUnit} (${span})`;
}
