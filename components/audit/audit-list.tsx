"use client";

import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { Download, ScrollText } from "lucide-react";
import { useQueryStates } from "nuqs";
import { FilterBar, FilterChip, FixedChip } from "#components/data-table/filter-bar.tsx";
import { ListView } from "#components/data-table/list-view.tsx";
import { type ActiveFilter, EmptyState } from "#components/data-table/states.tsx";
import { useAffiliateOptions } from "#components/filters/option-sources.ts";
import { TimeChip } from "#components/filters/time-chip.tsx";
import { useLiveInterval, useTimeZone } from "#components/layout/preferences.ts";
import { ButtonLink } from "#components/ui/button.tsx";
import { auditActionLabels, auditObjectLabels } from "#lib/audit/actions.ts";
import { auditExportHref, auditListOptions } from "#lib/audit/client.ts";
import { maxExportedEntries } from "#lib/audit/limits.ts";
import { formatCount, formatMinute, truncateMiddle } from "#lib/format.ts";
import { auditColumns } from "./columns.tsx";
import { useActionOptions, useActorLabel, useActorOptions, useObjectKindOptions } from "./filter-options.ts";
import { auditFilters, auditParams } from "./list-params.ts";

const noFilters = {
  action: null,
  object_kind: null,
  object_id: null,
  actor: null,
  affiliate: null,
  from: null,
  to: null,
  cursor: null,
};

export function AuditList() {
  const [params, setParams] = useQueryStates(auditParams, { history: "push" });
  const query = useQuery({
    ...auditListOptions(auditFilters(params)),
    refetchInterval: useLiveInterval(),
    placeholderData: keepPreviousData,
  });
  const timeZone = useTimeZone();
  const { action, object_kind, object_id, actor, affiliate, from, to } = params;
  const actorLabel = useActorLabel(actor);
  const known = query.data?.data.find(({ object }) => object.id === object_id)?.object;
  const objectLabel = object_id && (known?.name ?? truncateMiddle(object_id, 24));
  const filters = [
    { name: "Action", value: action && auditActionLabels[action] },
    { name: "Kind of object", value: object_kind && auditObjectLabels[object_kind] },
    { name: "Object", value: objectLabel },
    { name: "Who", value: actor && actorLabel },
    { name: "Affiliate", value: affiliate },
    { name: "From", value: timeWords(from, timeZone) },
    { name: "Before", value: timeWords(to, timeZone) },
  ].filter((filter): filter is ActiveFilter => Boolean(filter.value));
  const set = (change: Partial<typeof params>) => void setParams({ ...change, cursor: null });
  const clear = () => void setParams(noFilters);
  return (
    <>
      <FilterBar active={filters.length} onClear={clear}>
        <FilterChip
          name="Action"
          value={action && { value: action, label: auditActionLabels[action] }}
          onChange={(value) => set({ action: value as typeof action })}
          useOptions={useActionOptions}
        />
        <FilterChip
          name="Kind of object"
          value={object_kind && { value: object_kind, label: auditObjectLabels[object_kind] }}
          onChange={(value) => set({ object_kind: value as typeof object_kind, object_id: null })}
          useOptions={useObjectKindOptions}
        />
        {objectLabel ? (
          <FixedChip name="Object" value={objectLabel} onRemove={() => set({ object_id: null })} />
        ) : null}
        <FilterChip
          name="Who"
          value={actor ? { value: actor, label: actorLabel } : null}
          onChange={(value) => set({ actor: value })}
          useOptions={useActorOptions}
        />
        <FilterChip
          name="Affiliate"
          value={affiliate ? { value: affiliate, label: affiliate } : null}
          onChange={(value) => set({ affiliate: value })}
          useOptions={useAffiliateOptions}
        />
        <TimeChip from={from} to={to} onChange={set} />
        <ButtonLink
          href={auditExportHref(auditFilters(params))}
          prefetch={false}
          download
          tone="quiet"
          title={`The newest ${formatCount(maxExportedEntries)} entries of this list at most`}
          className="h-7 px-2 text-xs"
        >
          <Download aria-hidden />
          Export as CSV
        </ButtonLink>
      </FilterBar>
      <ListView
        caption="What was done, latest first"
        noun="entries"
        query={query}
        columns={auditColumns}
        rowKey={({ id }) => id}
        filters={filters}
        onClearFilters={clear}
        cursor={params.cursor}
        onCursor={(cursor) => void setParams({ cursor })}
        empty={
          <EmptyState icon={ScrollText} title="Nothing was done yet">
            <p>
              Whatever somebody changes, sends again or reveals will be here: who, when, on which object, and
              the values before and after.
            </p>
          </EmptyState>
        }
      />
    </>
  );
}

function timeWords(iso: string | null, timeZone: string | undefined): string | null {
  return iso === null || Number.isNaN(Date.parse(iso)) ? iso : formatMinute(iso, timeZone);
}
