import { type Classification, classify } from "./classify.ts";

/**
 * What an endpoint says about the answers it gives. The first four narrow success: an answer with a 2xx status
 * that breaks one is `rejected_by_response`, and retried where the rule says so. `duplicate` widens it: an
 * answer with any status whose body contains the text counts as delivered, whatever the others say.
 * Texts are compared as UTF-8, byte for byte, with the part of the body that is kept.
 */
export type ResponseRule =
  | { kind: "status_in"; statuses: readonly number[]; retry: boolean }
  | { kind: "body_contains"; text: string; retry: boolean }
  | { kind: "body_does_not_contain"; text: string; retry: boolean }
  | { kind: "body_equals"; text: string; retry: boolean }
  | { kind: "duplicate"; text: string };

type NarrowingRule = Exclude<ResponseRule, { kind: "duplicate" }>;

/** Judges a complete response by its status and by the endpoint's rules; the first rule broken decides. */
export function classifyResponse(
  response: { status: number; body: Buffer },
  rules: readonly ResponseRule[],
): Classification {
  if (rules.some((rule) => rule.kind === "duplicate" && response.body.includes(rule.text))) {
    return { outcome: "delivered", reason: null };
  }
  const classification = classify({ status: response.status });
  if (classification.outcome !== "delivered") return classification;
  const broken = rules.filter(isNarrowing).find((rule) => !isKept(rule, response));
  if (!broken) return classification;
  return { outcome: broken.retry ? "transient" : "permanent", reason: "rejected_by_response" };
}

function isNarrowing(rule: ResponseRule): rule is NarrowingRule {
  return rule.kind !== "duplicate";
}

function isKept(rule: NarrowingRule, response: { status: number; body: Buffer }): boolean {
  switch (rule.kind) {
    case "status_in":
      return rule.statuses.includes(response.status);
    case "body_contains":
      return response.body.includes(rule.text);
    case "body_does_not_contain":
      return !response.body.includes(rule.text);
    case "body_equals":
      return response.body.equals(Buffer.from(rule.text));
  }
}

/** A fault in a list of rules: which rule, which of its fields, and what is wrong with it. */
export type ResponseRuleError = { rule: number; field: "statuses" | "text"; message: string };

/** Faults that would let no answer through, or that make a rule say nothing. None: the rules can be saved. */
export function checkResponseRules(rules: readonly ResponseRule[]): ResponseRuleError[] {
  return rules.flatMap((rule, i) => {
    const message =
      rule.kind === "status_in"
        ? statusFault(rule.statuses, rules.slice(0, i))
        : textFault(rule, rules.slice(0, i));
    const field = rule.kind === "status_in" ? "statuses" : "text";
    return message === null ? [] : [{ rule: i, field, message }];
  });
}

function statusFault(statuses: readonly number[], earlier: readonly ResponseRule[]): string | null {
  if (statuses.length === 0) return "must name at least one status";
  if (!statuses.every((status) => Number.isInteger(status) && status >= 200 && status <= 299)) {
    return "must be statuses from 200 to 299: a response rule cannot make a success of another status";
  }
  const common = commonStatuses(earlier);
  const left = common === null ? statuses : statuses.filter((status) => common.includes(status));
  if (left.length === 0) return "has no status in common with an earlier rule";
  return left.every(hasNoBody) && earlier.some(needsBody) ? noBodyMessage : null;
}

function textFault(
  rule: Exclude<ResponseRule, { kind: "status_in" }>,
  earlier: readonly ResponseRule[],
): string | null {
  if (rule.text === "" && rule.kind !== "body_equals") return "must not be empty";
  if (needsBody(rule) && (commonStatuses(earlier)?.every(hasNoBody) ?? false)) return noBodyMessage;
  const other = earlier.findIndex((before) => contradict(rule, before) || contradict(before, rule));
  return other === -1 ? null : `contradicts rule ${other + 1}: no answer can keep both`;
}

/** The statuses that every status rule allows; null when there is no such rule. */
function commonStatuses(rules: readonly ResponseRule[]): readonly number[] | null {
  return rules.reduce<readonly number[] | null>((common, rule) => {
    if (rule.kind !== "status_in") return common;
    return common === null ? rule.statuses : common.filter((status) => rule.statuses.includes(status));
  }, null);
}

/** Whether no body keeps both; asked in both directions. */
function contradict(a: ResponseRule, b: ResponseRule): boolean {
  if (b.kind === "body_does_not_contain") {
    return (a.kind === "body_contains" || a.kind === "body_equals") && a.text.includes(b.text);
  }
  if (a.kind !== "body_equals") return false;
  return (
    (b.kind === "body_contains" && !a.text.includes(b.text)) ||
    (b.kind === "body_equals" && a.text !== b.text)
  );
}

/** HTTP forbids a body with these (RFC 9110, 15.3.5 and 15.3.6). */
function hasNoBody(status: number): boolean {
  return status === 204 || status === 205;
}

function needsBody(rule: ResponseRule): boolean {
  return (rule.kind === "body_contains" || rule.kind === "body_equals") && rule.text !== "";
}

const noBodyMessage = "contradicts an earlier rule: an answer with status 204 or 205 has no body";
