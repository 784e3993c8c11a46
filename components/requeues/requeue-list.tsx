"use client";

import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { RotateCw } from "lucide-react";
import { useQueryStates } from "nuqs";
import { FilterBar, FilterChip } from "#components/data-table/filter-bar.tsx";
import { ListView } from "#components/data-table/list-view.tsx";
import { EmptyState } from "#components/data-table/states.tsx";
import { useLiveInterval } from "#components/layout/preferences.ts";
import { ButtonLink } from "#components/ui/button.tsx";
import { fixedOptions } from "#components/ui/option-picker.tsx";
import { requeueListOptions } from "#lib/requeues/client.ts";
import { requeueStateLabels, requeueStates } from "#lib/vocabulary.ts";
import { requeueColumns } from "./columns.tsx";
import { requeueFilters, requeueParams } from "./list-params.ts";

const useRequeueStates = fixedOptions(
  requeueStates.map((state) => ({ value: state, label: requeueStateLabels[state] })),
);

export function RequeueList() {
  const [params, setParams] = useQueryStates(requeueParams, { history: "push" });
  const query = useQuery({
    ...requeueListOptions(requeueFilters(params)),
    refetchInterval: useLiveInterval(),
    placeholderData: keepPreviousData,
  });
  const { state } = params;
  const label = state && requeueStateLabels[state];
  const clear = () => void setParams({ state: null, cursor: null });
  return (
    <>
      <FilterBar active={label ? 1 : 0} onClear={clear}>
        <FilterChip
          name="State"
          value={state && label ? { value: state, label } : null}
          onChange={(value) => void setParams({ state: value as typeof state, cursor: null })}
          useOptions={useRequeueStates}
        />
      </FilterBar>
      <ListView
        caption="Requeues, newest first"
        noun="requeues"
        query={query}
        columns={requeueColumns}
        rowKey={({ id }) => id}
        filters={label ? [{ name: "State", value: label }] : []}
        onClearFilters={clear}
        cursor={params.cursor}
        onCursor={(cursor) => void setParams({ cursor })}
        empty={<NoRequeuesYet />}
      />
    </>
  );
}

function NoRequeuesYet() {
  return (
    <EmptyState
      icon={RotateCw}
      title="Nothing was requeued yet"
      action={<ButtonLink href="/dead-letters">Look at dead letters</ButtonLink>}
    >
      <p>
        A requeue puts many deliveries back, or discards them, and shows how far it is. Start one where dead
        letters are shown, for what has one cause; or on an endpoint's page, once its server answers again,
        for everything that failed or was held since then.
      </p>
    </EmptyState>
  );
}
