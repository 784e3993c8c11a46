"use client";

import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { Download, MailX } from "lucide-react";
import { useQueryStates } from "nuqs";
import { useCallback, useId } from "react";
import { FilterBar, FilterChip, FixedChip } from "#components/data-table/filter-bar.tsx";
import { ListView } from "#components/data-table/list-view.tsx";
import type { Chosen } from "#components/data-table/selection.ts";
import { type ActiveFilter, EmptyState } from "#components/data-table/states.tsx";
import { TextFilter } from "#components/data-table/text-filter.tsx";
import {
  useAffiliateOptions,
  useEndpointOptions,
  useEventTypeOptions,
  useReasonOptions,
  useStatusClassOptions,
} from "#components/filters/option-sources.ts";
import { TimeChip } from "#components/filters/time-chip.tsx";
import { useLiveInterval, useTimeZone } from "#components/layout/preferences.ts";
import { ButtonLink } from "#components/ui/button.tsx";
import {
  deadLetterExportHref,
  deadLetterGroupsOptions,
  deadLetterListOptions,
} from "#lib/dead-letters/client.ts";
import { maxExportedDeadLetters } from "#lib/dead-letters/limits.ts";
import type { Delivery } from "#lib/deliveries/schema.ts";
import { endpointOptions } from "#lib/endpoints/client.ts";
import { formatAbsolute, formatCount, formatNoun, truncateMiddle } from "#lib/format.ts";
import { statusClassLabels } from "#lib/vocabulary.ts";
import { deadLetterColumns } from "./columns.tsx";
import { Findings } from "./findings.tsx";
import { Groups } from "./groups.tsx";
import {
  type DeadLetterParams,
  deadLetterFilters,
  deadLetterParams,
  findingFilters,
  groupFilters,
  listRequeueFilter,
  searchRefusal,
} from "./list-params.ts";
import { reasonWords } from "./reason-words.ts";
import { RequeueButton } from "./requeue-button.tsx";

const noFilters = {
  q: null,
  endpoint: null,
  affiliate: null,
  reason: null,
  status: null,
  status_class: null,
  event_type: null,
  from: null,
  to: null,
  cursor: null,
};

/** Findings first, then groups, then rows: from what to do to what exactly happened. */
export function DeadLettersView() {
  const [params, setParams] = useQueryStates(deadLetterParams, { history: "push" });
  const filters = useActiveFilters(params);
  const set = (change: Partial<DeadLetterParams>) => void setParams({ ...change, cursor: null });
  const clear = () => void setParams(noFilters);
  const search = useCallback(
    (q: string | null) => void setParams({ q, cursor: null }, { history: "replace" }),
    [setParams],
  );
  return (
    <>
      <Findings filters={findingFilters(params)} />
      <Filters params={params} active={filters} set={set} onSearch={search} onClear={clear} />
      <Groups params={params} />
      <Letters
        params={params}
        filters={filters}
        onClear={clear}
        onCursor={(cursor) => void setParams({ cursor })}
      />
    </>
  );
}

type FiltersProps = {
  params: DeadLetterParams;
  active: ActiveFilter[];
  set: (change: Partial<DeadLetterParams>) => void;
  onSearch: (q: string | null) => void;
  onClear: () => void;
};

function Filters({ params, active, set, onSearch, onClear }: FiltersProps) {
  const { endpoint, affiliate, reason, status, status_class, event_type, from, to } = params;
  const endpointName = useEndpointName(endpoint);
  return (
    <FilterBar active={active.length} onClear={onClear}>
      <TextFilter
        label="Delivery or event id"
        placeholder="Delivery or event id"
        value={params.q}
        onChange={onSearch}
      />
      <FilterChip
        name="Endpoint"
        value={endpoint ? { value: endpoint, label: endpointName } : null}
        onChange={(value) => set({ endpoint: value })}
        useOptions={useEndpointOptions}
      />
      <FilterChip
        name="Affiliate"
        value={affiliate ? { value: affiliate, label: affiliate } : null}
        onChange={(value) => set({ affiliate: value })}
        useOptions={useAffiliateOptions}
      />
      <FilterChip
        name="Reason"
        value={reason ? { value: reason, label: reasonWords(reason) } : null}
        onChange={(value) => set({ reason: value })}
        useOptions={useReasonOptions}
      />
      {status ? (
        <FixedChip name="Status" value={status} onRemove={() => set({ status: null })} />
      ) : (
        <FilterChip
          name="Status"
          value={status_class && { value: status_class, label: statusClassLabels[status_class] }}
          onChange={(value) => set({ status_class: value as typeof status_class })}
          useOptions={useStatusClassOptions}
        />
      )}
      <FilterChip
        name="Event type"
        value={event_type ? { value: event_type, label: event_type } : null}
        onChange={(value) => set({ event_type: value })}
        useOptions={useEventTypeOptions}
      />
      <TimeChip from={from} to={to} onChange={set} />
      <ButtonLink
        href={deadLetterExportHref(deadLetterFilters(params))}
        prefetch={false}
        download
        tone="quiet"
        title={`The newest ${formatCount(maxExportedDeadLetters)} dead letters of this list at most`}
        className="h-7 px-2 text-xs"
      >
        <Download aria-hidden />
        Export as CSV
      </ButtonLink>
    </FilterBar>
  );
}

type LettersProps = {
  params: DeadLetterParams;
  filters: ActiveFilter[];
  onClear: () => void;
  onCursor: (cursor: string | null) => void;
};

function Letters({ params, filters, onClear, onCursor }: LettersProps) {
  const headingId = useId();
  const query = useQuery({
    ...deadLetterListOptions(deadLetterFilters(params)),
    refetchInterval: useLiveInterval(),
    placeholderData: keepPreviousData,
  });
  return (
    <section aria-labelledby={headingId}>
      <div className="mb-2 flex flex-wrap items-start justify-between gap-2">
        <h2 id={headingId} className="font-semibold text-sm leading-8">
          One by one
        </h2>
        <AllMatching params={params} narrowed={filters.length > 0} />
      </div>
      <ListView
        caption="Dead letters, given up latest first"
        noun="dead letters"
        query={query}
        columns={deadLetterColumns}
        rowKey={({ id }) => id}
        rowName={({ id }) => `delivery ${id}`}
        filters={filters}
        onClearFilters={onClear}
        cursor={params.cursor}
        onCursor={onCursor}
        actions={(chosen) => <ChosenActions chosen={chosen} />}
        empty={<NoDeadLetters />}
      />
    </section>
  );
}

function ChosenActions({ chosen: { rows, clear } }: { chosen: Chosen<Delivery> }) {
  const what = formatNoun(rows.length, "dead letter");
  const given = { filter: { ids: rows.map(({ id }) => id) }, onCreated: clear };
  return (
    <>
      <RequeueButton {...given} label="Requeue" title={`Requeue ${what}?`} />
      <RequeueButton {...given} label="Discard" title={`Discard ${what}?`} operation="discard" />
    </>
  );
}

/** Puts back, or discards, everything that the list has, on whatever page it stands. */
function AllMatching({ params, narrowed }: { params: DeadLetterParams; narrowed: boolean }) {
  const { data } = useQuery(deadLetterGroupsOptions(groupFilters(params)));
  const count = data?.count ?? 0;
  if (count === 0) return null;
  const all = `all ${formatCount(count)}${narrowed ? " matching" : ""}`;
  // Without the number, which the dialog counts anew.
  const whole = narrowed ? "all dead letters that match" : "all dead letters";
  const filter = listRequeueFilter(params);
  const given = { filter: filter ?? {}, refusal: filter ? null : searchRefusal };
  return (
    <div className="flex flex-wrap items-start gap-2">
      <RequeueButton {...given} label={`Requeue ${all}`} title={`Requeue ${whole}?`} />
      <RequeueButton {...given} label={`Discard ${all}`} title={`Discard ${whole}?`} operation="discard" />
    </div>
  );
}

function useActiveFilters(params: DeadLetterParams): ActiveFilter[] {
  const timeZone = useTimeZone();
  const endpointName = useEndpointName(params.endpoint);
  const at = (iso: string | null) =>
    iso === null || Number.isNaN(Date.parse(iso)) ? iso : formatAbsolute(iso, timeZone);
  return [
    { name: "Id", value: params.q },
    { name: "Endpoint", value: params.endpoint && endpointName },
    { name: "Affiliate", value: params.affiliate },
    { name: "Reason", value: params.reason && reasonWords(params.reason) },
    { name: "Status", value: params.status },
    { name: "Status class", value: params.status_class && statusClassLabels[params.status_class] },
    { name: "Event type", value: params.event_type },
    { name: "From", value: at(params.from) },
    { name: "Before", value: at(params.to) },
  ].filter((filter): filter is ActiveFilter => Boolean(filter.value));
}

/** The filter holds an id; people know the name. */
function useEndpointName(id: string | null): string {
  const { data } = useQuery({ ...endpointOptions(id ?? ""), enabled: id !== null });
  return data?.name ?? truncateMiddle(id ?? "", 13);
}

function NoDeadLetters() {
  return (
    <EmptyState icon={MailX} title="No dead letters">
      <p>
        A delivery that used up its attempts, or was refused for good, comes here with the reason. Nothing is
        dropped: once the cause is gone, it is put back from here, alone or with thousands of others. What
        several have in common, such as changed credentials or an outage, is shown above them with what to do.
      </p>
    </EmptyState>
  );
}
