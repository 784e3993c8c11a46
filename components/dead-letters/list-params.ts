import { createLoader, type inferParserType, parseAsString, parseAsStringLiteral } from "nuqs/server";
import { withQuery } from "#lib/api/fetcher.ts";
import type { DeadLetterListFilters } from "#lib/dead-letters/client.ts";
import type { DeadLetterGroup } from "#lib/dead-letters/schema.ts";
import type { LetterFilter } from "#lib/delivery/diagnosis/types.ts";
import type { RequeueFilterInput } from "#lib/requeues/schema.ts";
import { type Reason, statusClasses } from "#lib/vocabulary.ts";

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

/** What a requeue of all that the list has would take; null where a search narrows it, which a requeue does not know. */
export function listRequeueFilter(params: DeadLetterParams): RequeueFilterInput | null {
  const { q, cursor: _, reason, status, ...same } = params;
  if (q !== null) return null;
  return {
    ...withoutNulls(same),
    ...(reason === null ? {} : { reasons: reason.split(",") as Reason[] }),
    ...(status === null ? {} : { status: Number(status) }),
  };
}

/** What the requeue of a finding takes. */
export function findingRequeueFilter({ reasons, ...same }: LetterFilter): RequeueFilterInput {
  return { ...withoutNulls(same), ...(reasons.length === 0 ? {} : { reasons }) };
}

type Group = Pick<DeadLetterGroup, "endpoint" | "reason" | "status">;

/** The list's filters narrowed to a group of it: the same answer, or none, at one endpoint. */
function narrowedTo({ endpoint, reason, status }: Group, params: DeadLetterParams): DeadLetterParams {
  const answer =
    status === null
      ? { status: null, status_class: "none" as const }
      : { status: String(status), status_class: null };
  return { ...params, endpoint: endpoint.id, reason, ...answer };
}

/** The rows of a group of the list. */
export function groupHref(group: Group, params: DeadLetterParams): string {
  return withQuery("/dead-letters", { ...narrowedTo(group, params), cursor: null });
}

/** What the requeue of a group takes; null where that would be more than the group: without a reason, or after a search. */
export function groupRequeueFilter(group: Group, params: DeadLetterParams): RequeueFilterInput | null {
  return group.reason === null ? null : listRequeueFilter(narrowedTo(group, params));
}

/** Why a requeue is not offered for dead letters without a reason, which no filter knows. */
export const unknownRefusal =
  "No reason was recorded for these, so nothing tells them apart: select rows below.";

/** Why a requeue is not offered for what a search has found. */
export const searchRefusal = "Not for what a search finds: take the search away, or select rows below.";

function withoutNulls<T extends object>(value: T): { [K in keyof T]?: NonNullable<T[K]> } {
  return Object.fromEntries(Object.entries(value).filter(([, member]) => member !== null)) as never;
}

/** The list of what a finding's requeue would put back. */
export function lettersHref({ endpoint, reasons, status, event_type, from, to }: LetterFilter): string {
  return withQuery("/dead-letters", { endpoint, reason: reasons.join(","), status, event_type, from, to });
}
