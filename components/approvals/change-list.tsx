"use client";

import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { ShieldCheck } from "lucide-react";
import { createSerializer, useQueryStates } from "nuqs";
import { listColumnHelper } from "#components/data-table/data-table.tsx";
import { ListView } from "#components/data-table/list-view.tsx";
import { RowLink } from "#components/data-table/row-link.tsx";
import { EmptyState } from "#components/data-table/states.tsx";
import { useLiveInterval } from "#components/layout/preferences.ts";
import { RelativeTime } from "#components/layout/time.tsx";
import { LinkTabs } from "#components/ui/link-tabs.tsx";
import { changeListOptions } from "#lib/endpoint-changes/client.ts";
import type { QueuedChange } from "#lib/endpoint-changes/schema.ts";
import { type ChangeView, changeViews } from "#lib/endpoint-changes/views.ts";
import { DecideActions } from "./decide-actions.tsx";
import { changeFilters, changeParams } from "./list-params.ts";
import { ChangeStatePill } from "./state-pill.tsx";

const viewLabels = { waiting: "Waiting", decided: "Decided" } satisfies Record<ChangeView, string>;
const serialize = createSerializer(changeParams);
const helper = listColumnHelper<QueuedChange>();

const columns = [
  helper.display({
    id: "endpoint",
    header: "Endpoint",
    meta: { phone: "lead", className: "sm:w-[24%] truncate" },
    cell: ({ row: { original: change } }) => (
      <>
        <RowLink href={`/endpoints/${change.endpoint.id}`}>{change.endpoint.name}</RowLink>
        <span className="ml-2 text-ink-3">{change.affiliate.name}</span>
      </>
    ),
  }),
  helper.display({
    id: "hosts",
    header: "From and to",
    meta: { phone: "second", className: "truncate" },
    cell: ({ row: { original: change } }) => (
      <span className="font-mono text-xs" title={`${change.from_url}\n${change.to_url}`}>
        <span className="text-ink-3">{hostOf(change.from_url)} → </span>
        {hostOf(change.to_url)}
      </span>
    ),
  }),
  helper.display({
    id: "requested",
    header: "Asked for",
    meta: { phone: "second-end", className: "sm:w-40 truncate", sorted: "descending" },
    cell: ({ row: { original: change } }) => (
      <span className="text-ink-2" title={change.requested_by}>
        <RelativeTime iso={change.requested_at} />
      </span>
    ),
  }),
  helper.display({
    id: "decision",
    header: "Decision",
    meta: { phone: "lead-end", className: "overflow-visible sm:w-48" },
    cell: ({ row: { original: change } }) =>
      change.state === "pending" ? (
        <DecideActions change={change} />
      ) : (
        <span title={[change.decided_by, change.reason].filter(Boolean).join(": ")}>
          <ChangeStatePill state={change.state} />
        </span>
      ),
  }),
];

/** The host with its port; the path of a template is no part of it. */
function hostOf(url: string): string {
  return url.replace(/^https?:\/\//, "").split("/", 1)[0] ?? url;
}

/** Edits of affiliates that would send events to another host. */
export function ChangeList({ isOn }: { isOn: boolean }) {
  const [params, setParams] = useQueryStates(changeParams, { history: "push" });
  const query = useQuery({
    ...changeListOptions(changeFilters(params)),
    refetchInterval: useLiveInterval(),
    placeholderData: keepPreviousData,
  });
  const { view } = params;
  return (
    <>
      <LinkTabs
        label="Views"
        tabs={changeViews.map((name) => ({
          href: `/approvals${serialize({ view: name, cursor: null })}`,
          label: viewLabels[name],
          current: view === name,
          onSelect: () => void setParams({ view: name, cursor: null }),
        }))}
      />
      <ListView
        key={view}
        caption={`Changes of hosts, ${viewLabels[view].toLowerCase()}, newest first`}
        noun="changes"
        query={query}
        columns={columns}
        rowKey={({ id }) => id}
        cursor={params.cursor}
        onCursor={(cursor) => void setParams({ cursor })}
        empty={
          <EmptyState
            icon={ShieldCheck}
            title={view === "waiting" ? "Nothing waits for a decision" : "Nothing was decided yet"}
          >
            <p>
              {isOn
                ? "When an affiliate changes the host that an endpoint of theirs sends to, the change waits here, and the endpoint goes on as it was."
                : "Affiliates change hosts by themselves in this deployment. With POSTHORN_APPROVE_HOST_CHANGES=true such a change waits here for ops or admins."}
            </p>
          </EmptyState>
        }
      />
    </>
  );
}
