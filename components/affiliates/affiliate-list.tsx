"use client";

import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { Users } from "lucide-react";
import Link from "next/link";
import { useQueryStates } from "nuqs";
import { useCallback } from "react";
import { listColumnHelper } from "#components/data-table/data-table.tsx";
import { FilterBar } from "#components/data-table/filter-bar.tsx";
import { ListView } from "#components/data-table/list-view.tsx";
import { RowLink } from "#components/data-table/row-link.tsx";
import { EmptyState } from "#components/data-table/states.tsx";
import { TextFilter } from "#components/data-table/text-filter.tsx";
import { useLiveInterval } from "#components/layout/preferences.ts";
import { useRefusal } from "#components/layout/reader.tsx";
import { RelativeTime } from "#components/layout/time.tsx";
import { CopyButton } from "#components/ui/copy-button.tsx";
import { ViewAsButton } from "#components/view-as/view-as-button.tsx";
import { affiliateListOptions } from "#lib/affiliates/client.ts";
import type { Affiliate } from "#lib/affiliates/schema.ts";
import { withQuery } from "#lib/api/fetcher.ts";
import { formatCapped, formatNoun } from "#lib/format.ts";
import { CreateAffiliate } from "./create-affiliate.tsx";
import { FailingEndpoints } from "./failing-endpoints.tsx";
import { affiliateFilters, affiliateParams } from "./list-params.ts";

const helper = listColumnHelper<Affiliate>();

const columns = [
  helper.display({
    id: "name",
    header: "Affiliate",
    meta: { phone: "lead", className: "truncate" },
    cell: ({ row: { original: affiliate } }) => (
      <RowLink href={`/affiliates/${encodeURIComponent(affiliate.key)}`}>{affiliate.name}</RowLink>
    ),
  }),
  helper.display({
    id: "key",
    header: "Key",
    meta: { phone: "second", className: "sm:w-[26%] truncate" },
    cell: ({ row: { original: affiliate } }) => (
      <span className="inline-flex max-w-full items-center gap-0.5">
        <code className="truncate font-mono text-xs" title={affiliate.key}>
          {affiliate.key}
        </code>
        <CopyButton text={affiliate.key} what="affiliate key" />
      </span>
    ),
  }),
  helper.display({
    id: "endpoints",
    header: "Endpoints",
    meta: { phone: "lead-end", className: "sm:w-28" },
    cell: ({ row: { original: affiliate } }) => (
      <Link
        href={withQuery("/endpoints", { view: "all", affiliate: affiliate.key })}
        prefetch={false}
        className="text-ink-2 underline-offset-2 hover:underline"
      >
        {formatNoun(affiliate.endpoint_count, "endpoint")}
      </Link>
    ),
  }),
  helper.display({
    id: "failing",
    header: "Failing",
    meta: { phone: "hidden", className: "sm:w-24" },
    cell: ({ row: { original: affiliate } }) => <FailingEndpoints affiliate={affiliate} />,
  }),
  helper.display({
    id: "events",
    header: "Events, 24 h",
    meta: { phone: "hidden", className: "sm:w-28 sm:max-md:hidden" },
    cell: ({ row: { original: affiliate } }) =>
      affiliate.activity ? (
        <Link
          href={withQuery("/events", { affiliate: affiliate.key })}
          prefetch={false}
          className="text-ink-2 underline-offset-2 hover:underline"
        >
          {formatCapped(affiliate.activity.events_last_day)}
          <span className="sr-only"> events of {affiliate.name} in 24 h</span>
        </Link>
      ) : null,
  }),
  helper.display({
    id: "created",
    header: "Created",
    meta: { phone: "hidden", className: "sm:w-28 sm:max-lg:hidden", sorted: "descending" },
    cell: ({ row: { original: affiliate } }) => (
      <RelativeTime iso={affiliate.created_at} className="text-ink-2" />
    ),
  }),
  helper.display({
    id: "people",
    header: "Its users",
    meta: { phone: "second-end", className: "sm:w-44" },
    cell: ({ row: { original: affiliate } }) => <People affiliate={affiliate} />,
  }),
];

/** Who signs in for it, for those who may see that, and what they see. */
function People({ affiliate }: { affiliate: Affiliate }) {
  const refusal = useRefusal("user.manage");
  return (
    <span className="inline-flex items-center gap-2">
      {refusal === null ? (
        <Link
          href={withQuery("/settings/users", { affiliate: affiliate.key })}
          prefetch={false}
          className="text-ink-2 underline underline-offset-2"
        >
          Users<span className="sr-only"> of {affiliate.name}</span>
        </Link>
      ) : null}
      <ViewAsButton affiliate={affiliate} />
    </span>
  );
}

export function AffiliateList() {
  const [params, setParams] = useQueryStates(affiliateParams, { history: "push" });
  const query = useQuery({
    ...affiliateListOptions(affiliateFilters(params)),
    refetchInterval: useLiveInterval(),
    placeholderData: keepPreviousData,
  });
  const clear = () => void setParams({ q: null, cursor: null });
  const search = useCallback(
    (q: string | null) => void setParams({ q, cursor: null }, { history: "replace" }),
    [setParams],
  );
  return (
    <>
      <FilterBar active={params.q ? 1 : 0} onClear={clear}>
        <TextFilter label="Name or key" placeholder="Name or key" value={params.q} onChange={search} />
      </FilterBar>
      <ListView
        caption="Affiliates, newest first"
        noun="affiliates"
        query={query}
        columns={columns}
        rowKey={({ id }) => id}
        filters={params.q ? [{ name: "Name or key", value: params.q }] : []}
        onClearFilters={clear}
        cursor={params.cursor}
        onCursor={(cursor) => void setParams({ cursor })}
        empty={
          <EmptyState icon={Users} title="No affiliates yet" action={<CreateAffiliate tone="plain" />}>
            <p>
              An affiliate is a party that owns endpoints: a partner, or a customer of yours. Its key is your
              own name for it, and every event that you publish names one.
            </p>
          </EmptyState>
        }
      />
    </>
  );
}
