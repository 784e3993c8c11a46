"use client";

import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { useQueryStates } from "nuqs";
import { listColumnHelper } from "#components/data-table/data-table.tsx";
import { ListView } from "#components/data-table/list-view.tsx";
import { useLiveInterval } from "#components/layout/preferences.ts";
import { RelativeTime } from "#components/layout/time.tsx";
import { breakerHistoryOptions } from "#lib/breakers/client.ts";
import type { BreakerMove } from "#lib/breakers/schema.ts";
import type { EndpointDetail } from "#lib/endpoints/schema.ts";
import { formatSpan } from "#lib/format.ts";
import { breakerCauseLabels, breakerStateLabels } from "#lib/vocabulary.ts";
import { breakerFilters, breakerParams } from "./breaker-params.ts";

const helper = listColumnHelper<BreakerMove>();

const columns = [
  helper.display({
    id: "cause",
    header: "Cause",
    meta: { phone: "lead", className: "truncate" },
    cell: ({ row: { original: move } }) => breakerCauseLabels[move.cause],
  }),
  helper.display({
    id: "move",
    header: "Breaker",
    meta: { phone: "second", className: "sm:w-48" },
    cell: ({ row: { original: move } }) => (
      <span className="text-ink-2">
        {move.from === move.to
          ? `Stayed ${breakerStateLabels[move.to].toLowerCase()}`
          : `${breakerStateLabels[move.from]} → ${breakerStateLabels[move.to].toLowerCase()}`}
      </span>
    ),
  }),
  helper.display({
    id: "cooldown",
    header: "Open for",
    meta: { phone: "second-end", className: "sm:w-44" },
    cell: ({ row: { original: move } }) => <span className="text-ink-2">{openWords(move)}</span>,
  }),
  helper.display({
    id: "at",
    header: "When",
    meta: { phone: "lead-end", className: "sm:w-28", sorted: "descending" },
    cell: ({ row: { original: move } }) => <RelativeTime iso={move.at} className="text-ink-2" />,
  }),
];

/** How long it then stayed open by itself; empty where a probe may go at once. */
function openWords({ cause, cooldown_seconds }: BreakerMove): string {
  if (cause === "held") return "until reset or closed";
  const opened = cause === "consecutive_failures" || cause === "failure_rate" || cause === "probe_failed";
  return opened ? formatSpan(cooldown_seconds * 1_000) : "";
}

/** What moved the breaker, newest first. */
export function BreakerHistory({ endpoint }: { endpoint: EndpointDetail }) {
  const [{ breaker_cursor: cursor }, setParams] = useQueryStates(breakerParams, { history: "push" });
  const query = useQuery({
    ...breakerHistoryOptions(endpoint.id, breakerFilters(cursor)),
    refetchInterval: useLiveInterval(),
    placeholderData: keepPreviousData,
  });
  return (
    <section aria-labelledby="breaker-history" className="mt-6">
      <h2 id="breaker-history" className="mb-2 font-semibold text-sm">
        Breaker history
      </h2>
      <ListView
        caption="What moved the breaker of this endpoint, newest first"
        noun="moves of the breaker"
        query={query}
        columns={columns}
        rowKey={({ id }) => id}
        cursor={cursor}
        onCursor={(breaker_cursor) => void setParams({ breaker_cursor })}
        rowKeys={false}
        empty={<p className="text-ink-2">It has never moved: nothing has ever opened it.</p>}
      />
    </section>
  );
}
