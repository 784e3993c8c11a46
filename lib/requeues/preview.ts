import type { Selection } from "#lib/queue/requeue-filter.ts";
import type { PreviewRow } from "#lib/queue/requeue-preview.ts";
import type { DeliveryState, Reason, RequeueRefusal } from "#lib/vocabulary.ts";
import type {
  RenderFailure,
  RequeueCount,
  RequeueHold,
  RequeuePreview,
  RequeuePreviewEndpoint,
} from "./schema.ts";

const maxEndpoints = 100;

/** Adds up what was counted: by endpoint, the largest first, and over all. */
export function summarize(
  rows: readonly PreviewRow[],
  { operation, asOf, isBound = false }: Pick<Selection, "operation" | "asOf"> & { isBound?: boolean },
): Omit<RequeuePreview, "overlaps"> {
  const endpoints = [...Map.groupBy(rows, ({ endpointId }) => endpointId).values()]
    .map((group) => summarizeEndpoint(group, operation))
    .sort((a, b) => b.total - a.total || a.id.localeCompare(b.id));
  return {
    as_of: asOf.toISOString(),
    total: countOf(rows),
    accepted: countOf(rows.filter(isAccepted)),
    at_most: isBound,
    held: endpoints.filter(({ hold }) => hold !== null).reduce((sum, { accepted }) => sum + accepted, 0),
    refused: refusedOf(rows),
    failed: failedOf(rows),
    states: countsBy(rows, ({ state }) => state).map(([state, count]) => ({
      state: state as DeliveryState,
      count,
    })),
    endpoints: endpoints.slice(0, maxEndpoints),
    endpoint_count: endpoints.length,
  };
}

function summarizeEndpoint(
  rows: readonly PreviewRow[],
  operation: Selection["operation"],
): RequeuePreviewEndpoint {
  const first = rows[0] as PreviewRow;
  const accepted = countOf(rows.filter(isAccepted));
  return {
    id: first.endpointId,
    name: first.endpointName,
    status: first.deleted ? "deleted" : first.status,
    breaker: first.breaker,
    affiliate: first.affiliate,
    total: countOf(rows),
    accepted,
    hold: operation === "requeue" && accepted > 0 ? holdOf(first) : null,
    refused: refusedOf(rows),
    failed: failedOf(rows),
  };
}

function holdOf({ status, breaker, askedToWait }: PreviewRow): RequeueHold | null {
  if (status !== "active") return status;
  if (breaker !== "closed") return "breaker";
  return askedToWait ? "asked_to_wait" : null;
}

function refusedOf(rows: readonly PreviewRow[]): RequeueCount[] {
  const refused = rows.filter(({ verdict }) => verdict !== "accepted");
  return countsBy(refused, ({ verdict }) => verdict).map(([why, count]) => ({
    why: why as RequeueRefusal,
    count,
  }));
}

function failedOf(rows: readonly PreviewRow[]): RenderFailure[] {
  const failed = rows.filter(({ failure }) => failure !== null);
  return countsBy(failed, ({ failure }) => failure ?? "").map(([reason, count]) => ({
    reason: reason as Reason,
    count,
  }));
}

function isAccepted({ verdict, failure }: PreviewRow): boolean {
  return verdict === "accepted" && failure === null;
}

/** The most frequent first. */
function countsBy(rows: readonly PreviewRow[], keyOf: (row: PreviewRow) => string): [string, number][] {
  return [...Map.groupBy(rows, keyOf)]
    .map(([key, group]): [string, number] => [key, countOf(group)])
    .sort(([, a], [, b]) => b - a);
}

function countOf(rows: readonly PreviewRow[]): number {
  return rows.reduce((sum, { count }) => sum + count, 0);
}
