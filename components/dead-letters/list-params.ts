import { createLoader, type inferParserType, parseAsString, parseAsStringLiteral } from "nuqs/server";
import { withQuery } from "#lib/api/fetcher.ts";
import type { DeadLetterListFilters } from "#lib/dead-letters/client.ts";
import type { LetterFilter } from "#lib/delivery/diagnosis/types.ts";
import { statusClasses } from "#lib/vocabulary.ts";

/** The list's place in the URL, read alike on the server and in the browser. */
export const deadLetterParams = {
  q: parseAsString,
  endpoint: parseAsString,
  affiliate: parseAsString,
  /** One or more, separated by commas. */
  reason: parseAsString,
  status: parseAsString,
  status_class: parseAsStringLiteral(statusClasses),
  event_type: parseAsString,
  from: parseAsString,
  to: parseAsString,
  cursor: parseAsString,
};
export type DeadLetterParams = inferParserType<typeof deadLetterParams>;
export const loadDeadLetterParams = createLoader(deadLetterParams);

export function deadLetterFilters(params: DeadLetterParams): DeadLetterListFilters {
  return Object.fromEntries(Object.entries(params).filter(([, value]) => value !== null));
}

/** What narrows groups as well as rows: all but the page. */
export function groupFilters(params: DeadLetterParams): Omit<DeadLetterListFilters, "cursor" | "limit"> {
  return deadLetterFilters({ ...params, cursor: null });
}

/** What narrows findings, which concern whole endpoints. */
export function findingFilters(params: DeadLetterParams): { endpoint?: string; affiliate?: string } {
  const { endpoint, affiliate } = params;
  return { ...(endpoint ? { endpoint } : {}), ...(affiliate ? { affiliate } : {}) };
}

/** The list of what a finding's requeue would put back. */
export function lettersHref({ endpoint, reasons, status, event_type, from, to }: LetterFilter): string {
  return withQuery("/dead-letters", { endpoint, reason: reasons.join(","), status, event_type, from, to });
}
