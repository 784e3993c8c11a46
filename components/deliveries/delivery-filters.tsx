"use client";

import { useQuery } from "@tanstack/react-query";
import { Download } from "lucide-react";
import Link from "next/link";
import { FilterBar, FilterChip, FixedChip, MultiFilterChip } from "#components/data-table/filter-bar.tsx";
import type { ActiveFilter } from "#components/data-table/states.tsx";
import {
  useAffiliateOptions,
  useEndpointOptions,
  useEventTypeOptions,
  useReasonOptions,
  useStateOptions,
  useStatusClassOptions,
} from "#components/filters/option-sources.ts";
import { TimeChip, useSpanWords } from "#components/filters/time-chip.tsx";
import { useIsAffiliate } from "#components/layout/reader.tsx";
import { ButtonLink } from "#components/ui/button.tsx";
import type { Option } from "#components/ui/option-picker.tsx";
import { withQuery } from "#lib/api/fetcher.ts";
import { deliveryExportHref } from "#lib/deliveries/client.ts";
import { maxExportedDeliveries } from "#lib/deliveries/limits.ts";
import { endpointOptions } from "#lib/endpoints/client.ts";
import { formatCount, truncateMiddle } from "#lib/format.ts";
import { deliveryStateLabels, reasonSentences, statusClassLabels } from "#lib/vocabulary.ts";
import { AttemptsFilter, attemptsWords } from "./attempts-filter.tsx";
import { type DeliveryFilterParams, deliveryNarrowing } from "./list-params.ts";

type DeliveryFilterBarProps = {
  params: DeliveryFilterParams;
  active: number;
  onChange: (change: Partial<DeliveryFilterParams>) => void;
  onClear: () => void;
};

/** Every filter of the list as a chip; one event, a requeue and a searched value stand there only when a link set them. */
export function DeliveryFilterBar({ params, active, onChange, onClear }: DeliveryFilterBarProps) {
  const { state, reason, status_class, endpoint, affiliate, type, event, requeue, q_hash } = params;
  const endpointName = useEndpointName(endpoint);
  const isOwner = useIsAffiliate();
  return (
    <FilterBar active={active} onClear={onClear}>
      <MultiFilterChip
        name="State"
        values={(state?.split(",") ?? []).map((value) => labelled(deliveryStateLabels, value))}
        onChange={(values) => onChange({ state: values?.join(",") ?? null })}
        useOptions={useStateOptions}
      />
      <FilterChip
        name="Reason"
        value={reason === null ? null : labelled(reasonSentences, reason)}
        onChange={(value) => onChange({ reason: value })}
        useOptions={useReasonOptions}
      />
      <FilterChip
        name="Answer"
        value={status_class === null ? null : labelled(statusClassLabels, status_class)}
        onChange={(value) => onChange({ status_class: value })}
        useOptions={useStatusClassOptions}
      />
      <FilterChip
        name="Endpoint"
        value={endpoint === null ? null : { value: endpoint, label: endpointName }}
        onChange={(value) => onChange({ endpoint: value })}
        useOptions={useEndpointOptions}
      />
      {isOwner ? null : (
        <FilterChip
          name="Affiliate"
          value={affiliate === null ? null : { value: affiliate, label: affiliate }}
          onChange={(value) => onChange({ affiliate: value })}
          useOptions={useAffiliateOptions}
        />
      )}
      <FilterChip
        name="Event type"
        value={type === null ? null : { value: type, label: type }}
        onChange={(value) => onChange({ type: value })}
        useOptions={useEventTypeOptions}
      />
      <AttemptsFilter
        min={params.attempts_min}
        max={params.attempts_max}
        onChange={({ min, max }) => onChange({ attempts_min: min, attempts_max: max })}
      />
      <TimeChip from={params.from} to={params.to} onChange={onChange} />
      {event === null ? null : (
        <FixedChip
          name="Event"
          value={truncateMiddle(event, 24)}
          onRemove={() => onChange({ event: null })}
        />
      )}
      {requeue === null ? null : (
        <FixedChip
          name="Put back by"
          value={`requeue ${requeue.slice(-6)}`}
          onRemove={() => onChange({ requeue: null })}
        />
      )}
      {q_hash === null ? null : (
        <>
          <FixedChip name="Matches" value="a searched value" onRemove={() => onChange({ q_hash: null })} />
          {isOwner ? null : (
            <Link
              href={withQuery("/events", { q_hash })}
              className="text-ink-2 text-xs underline underline-offset-2"
            >
              Its events
            </Link>
          )}
        </>
      )}
      <ButtonLink
        href={deliveryExportHref(deliveryNarrowing(params))}
        prefetch={false}
        download
        tone="quiet"
        title={`The newest ${formatCount(maxExportedDeliveries)} deliveries of this list at most`}
        className="h-7 px-2 text-xs"
      >
        <Download aria-hidden />
        Export as CSV
      </ButtonLink>
    </FilterBar>
  );
}

/** What is set, in words, by the names of the chips. */
export function useActiveFilters(params: DeliveryFilterParams): ActiveFilter[] {
  const { state, reason, status_class, endpoint, affiliate, type, event, requeue, q_hash } = params;
  const endpointName = useEndpointName(endpoint);
  const time = useSpanWords(params);
  return [
    { name: "State", value: state?.split(",").map(labelOf(deliveryStateLabels)).join(" or ") },
    { name: "Reason", value: reason && labelOf(reasonSentences)(reason) },
    { name: "Answer", value: status_class && labelOf(statusClassLabels)(status_class) },
    { name: "Endpoint", value: endpoint && endpointName },
    { name: "Affiliate", value: affiliate },
    { name: "Event type", value: type },
    { name: "Attempts", value: attemptsWords({ min: params.attempts_min, max: params.attempts_max }) },
    { name: "Time", value: time },
    { name: "Event", value: event && truncateMiddle(event, 24) },
    { name: "Put back by", value: requeue && `requeue ${requeue.slice(-6)}` },
    { name: "Matches", value: q_hash && "a searched value" },
  ].filter((filter): filter is ActiveFilter => Boolean(filter.value));
}

const labelOf = (labels: Record<string, string>) => (value: string) =>
  Object.hasOwn(labels, value) ? (labels[value] as string) : value;

function labelled(labels: Record<string, string>, value: string): Option {
  return { value, label: labelOf(labels)(value) };
}

/** The filter holds an id; people know the name. */
function useEndpointName(id: string | null): string {
  const { data } = useQuery({ ...endpointOptions(id ?? ""), enabled: id !== null });
  return data?.name ?? truncateMiddle(id ?? "", 13);
}
