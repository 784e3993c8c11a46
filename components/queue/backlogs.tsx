"use client";

import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { CircleCheck } from "lucide-react";
import { useQueryStates } from "nuqs";
import { ListView } from "#components/data-table/list-view.tsx";
import { EmptyState } from "#components/data-table/states.tsx";
import { backlogColumns } from "#components/endpoints/columns.tsx";
import { useLiveInterval } from "#components/layout/preferences.ts";
import { endpointListOptions } from "#lib/endpoints/client.ts";
import { backlogFilters, queueParams } from "./list-params.ts";

/** What waits, endpoint by endpoint. */
export function Backlogs() {
  const [{ cursor }, setParams] = useQueryStates(queueParams, { history: "push" });
  const query = useQuery({
    ...endpointListOptions(backlogFilters(cursor)),
    refetchInterval: useLiveInterval(),
    placeholderData: keepPreviousData,
  });
  return (
    <section aria-labelledby="backlogs">
      <h2 id="backlogs" className="mb-2 font-semibold text-sm">
        Backlog by endpoint
      </h2>
      <ListView
        caption="Endpoints that deliveries wait for, due longest first, held ones last"
        noun="endpoints"
        query={query}
        columns={backlogColumns}
        rowKey={({ id }) => id}
        cursor={cursor}
        onCursor={(next) => void setParams({ cursor: next })}
        empty={
          <EmptyState icon={CircleCheck} title="Nothing waits">
            <p>Every delivery has been made or has ended. What is published now is sent at once.</p>
          </EmptyState>
        }
      />
    </section>
  );
}
