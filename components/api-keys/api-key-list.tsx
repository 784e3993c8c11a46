"use client";

import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { KeyRound } from "lucide-react";
import { useQueryStates } from "nuqs";
import { useCallback } from "react";
import { FilterBar, FilterChip } from "#components/data-table/filter-bar.tsx";
import { ListView } from "#components/data-table/list-view.tsx";
import { type ActiveFilter, EmptyState } from "#components/data-table/states.tsx";
import { TextFilter } from "#components/data-table/text-filter.tsx";
import { useAffiliateOptions } from "#components/filters/option-sources.ts";
import { useLiveInterval } from "#components/layout/preferences.ts";
import { fixedOptions, type OptionSource } from "#components/ui/option-picker.tsx";
import { apiKeyListOptions } from "#lib/api-keys/client.ts";
import { keyPurposeLabels, keyPurposes, keyStatuses, keyStatusLabels } from "#lib/vocabulary.ts";
import { apiKeyColumns } from "./columns.tsx";
import { CreateApiKey } from "./create-api-key.tsx";
import { apiKeyFilters, apiKeyParams } from "./list-params.ts";

const noFilters = { q: null, purpose: null, status: null, affiliate: null, cursor: null };

const usePurposeOptions: OptionSource = fixedOptions(
  keyPurposes.map((purpose) => ({ value: purpose, label: keyPurposeLabels[purpose] })),
);
const useStatusOptions: OptionSource = fixedOptions(
  keyStatuses.map((status) => ({ value: status, label: keyStatusLabels[status] })),
);

export function ApiKeyList() {
  const [params, setParams] = useQueryStates(apiKeyParams, { history: "push" });
  const query = useQuery({
    ...apiKeyListOptions(apiKeyFilters(params)),
    refetchInterval: useLiveInterval(),
    placeholderData: keepPreviousData,
  });
  const { q, purpose, status, affiliate } = params;
  const filters = [
    { name: "Name or prefix", value: q },
    { name: "Purpose", value: purpose && keyPurposeLabels[purpose] },
    { name: "Status", value: status && keyStatusLabels[status] },
    { name: "Affiliate", value: affiliate },
  ].filter((filter): filter is ActiveFilter => Boolean(filter.value));
  const set = (change: Partial<typeof params>) => void setParams({ ...change, cursor: null });
  const search = useCallback(
    (text: string | null) => void setParams({ q: text, cursor: null }, { history: "replace" }),
    [setParams],
  );
  const clear = () => void setParams(noFilters);
  return (
    <>
      <FilterBar active={filters.length} onClear={clear}>
        <TextFilter label="Name or prefix" placeholder="Name or prefix" value={q} onChange={search} />
        <FilterChip
          name="Purpose"
          value={purpose && { value: purpose, label: keyPurposeLabels[purpose] }}
          onChange={(value) => set({ purpose: value as typeof purpose })}
          useOptions={usePurposeOptions}
        />
        <FilterChip
          name="Status"
          value={status && { value: status, label: keyStatusLabels[status] }}
          onChange={(value) => set({ status: value as typeof status })}
          useOptions={useStatusOptions}
        />
        <FilterChip
          name="Affiliate"
          value={affiliate ? { value: affiliate, label: affiliate } : null}
          onChange={(value) => set({ affiliate: value })}
          useOptions={useAffiliateOptions}
        />
      </FilterBar>
      <ListView
        caption="API keys, newest first"
        noun="API keys"
        query={query}
        columns={apiKeyColumns}
        rowKey={({ id }) => id}
        filters={filters}
        onClearFilters={clear}
        cursor={params.cursor}
        onCursor={(cursor) => void setParams({ cursor })}
        empty={
          <EmptyState icon={KeyRound} title="No API keys yet" action={<CreateApiKey tone="plain" />}>
            <p>
              Programs call the API with a key. Give each of them one of its own, for no more than it needs: a
              shop that publishes events needs no key that can read or change anything.
            </p>
          </EmptyState>
        }
      />
    </>
  );
}
