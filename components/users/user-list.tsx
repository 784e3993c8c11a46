"use client";

import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { CircleUser } from "lucide-react";
import { useQueryStates } from "nuqs";
import { useCallback } from "react";
import { FilterBar, FilterChip } from "#components/data-table/filter-bar.tsx";
import { ListView } from "#components/data-table/list-view.tsx";
import { type ActiveFilter, EmptyState } from "#components/data-table/states.tsx";
import { TextFilter } from "#components/data-table/text-filter.tsx";
import { useAffiliateOptions } from "#components/filters/option-sources.ts";
import { useLiveInterval } from "#components/layout/preferences.ts";
import { fixedOptions, type OptionSource } from "#components/ui/option-picker.tsx";
import { userListOptions } from "#lib/users/client.ts";
import { roleLabels, roles, userStatuses, userStatusLabels } from "#lib/vocabulary.ts";
import { userColumns } from "./columns.tsx";
import { userFilters, userParams } from "./list-params.ts";

const noFilters = { q: null, role: null, status: null, affiliate: null, cursor: null };

const useRoleOptions: OptionSource = fixedOptions(
  roles.map((role) => ({ value: role, label: roleLabels[role] })),
);
const useStatusOptions: OptionSource = fixedOptions(
  userStatuses.map((status) => ({ value: status, label: userStatusLabels[status] })),
);

export function UserList() {
  const [params, setParams] = useQueryStates(userParams, { history: "push" });
  const query = useQuery({
    ...userListOptions(userFilters(params)),
    refetchInterval: useLiveInterval(),
    placeholderData: keepPreviousData,
  });
  const { q, role, status, affiliate } = params;
  const filters = [
    { name: "Name or e-mail", value: q },
    { name: "Role", value: role && roleLabels[role] },
    { name: "Status", value: status && userStatusLabels[status] },
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
        <TextFilter label="Name or e-mail" placeholder="Name or e-mail" value={q} onChange={search} />
        <FilterChip
          name="Role"
          value={role && { value: role, label: roleLabels[role] }}
          onChange={(value) => set({ role: value as typeof role })}
          useOptions={useRoleOptions}
        />
        <FilterChip
          name="Status"
          value={status && { value: status, label: userStatusLabels[status] }}
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
        caption="Users, newest first"
        noun="users"
        query={query}
        columns={userColumns}
        rowKey={({ id }) => id}
        filters={filters}
        onClearFilters={clear}
        cursor={params.cursor}
        onCursor={(cursor) => void setParams({ cursor })}
        empty={
          <EmptyState icon={CircleUser} title="No users">
            <p>Whoever is invited and accepts is listed here.</p>
          </EmptyState>
        }
      />
    </>
  );
}
