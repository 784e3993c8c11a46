"use client";

import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { BellRing, CircleCheck, CircleSlash, TriangleAlert } from "lucide-react";
import Link from "next/link";
import { useQueryStates } from "nuqs";
import { listColumnHelper } from "#components/data-table/data-table.tsx";
import { ListView } from "#components/data-table/list-view.tsx";
import { EmptyState } from "#components/data-table/states.tsx";
import { useLiveInterval } from "#components/layout/preferences.ts";
import { RelativeTime } from "#components/layout/time.tsx";
import { Pill, type PillLook } from "#components/ui/pill.tsx";
import { noticeListOptions } from "#lib/notices/client.ts";
import type { Notice } from "#lib/notices/schema.ts";
import { noticeCause } from "#lib/notices/words.ts";
import {
  type NoticeChannel,
  type NoticeKind,
  noticeKindLabels,
  noticeSendStateLabels,
} from "#lib/vocabulary.ts";
import { noticeFilters, noticeParams } from "./list-params.ts";

const looks = {
  failing: { tone: "bad", icon: TriangleAlert },
  disabled: { tone: "held", icon: CircleSlash },
  recovered: { tone: "ok", icon: CircleCheck },
} satisfies Record<NoticeKind, PillLook>;

const channels = { email: "E-mail", webhook: "Webhook" } satisfies Record<NoticeChannel, string>;

const helper = listColumnHelper<Notice>();

const columns = [
  helper.display({
    id: "endpoint",
    header: "Endpoint",
    meta: { phone: "lead", className: "truncate" },
    cell: ({ row: { original: notice } }) =>
      notice.endpoint.deleted ? (
        `${notice.endpoint.name} (deleted)`
      ) : (
        <Link
          href={`/portal/endpoints/${notice.endpoint.id}`}
          prefetch={false}
          className="font-medium underline-offset-2 hover:underline"
        >
          {notice.endpoint.name}
        </Link>
      ),
  }),
  helper.display({
    id: "kind",
    header: "What happened",
    meta: { phone: "lead-end", className: "sm:w-[34%]" },
    cell: ({ row: { original: notice } }) => (
      <span className="flex min-w-0 items-center gap-2">
        <Pill {...looks[notice.kind]}>{noticeKindLabels[notice.kind]}</Pill>
        <span className="truncate text-ink-2 max-sm:hidden" title={noticeCause(notice)}>
          {noticeCause(notice)}
        </span>
      </span>
    ),
  }),
  helper.display({
    id: "sends",
    header: "You were told",
    meta: { phone: "second", className: "sm:w-[26%] truncate" },
    cell: ({ row: { original: notice } }) => <span className="text-ink-2">{toldWords(notice)}</span>,
  }),
  helper.display({
    id: "at",
    header: "When",
    meta: { phone: "second-end", className: "sm:w-28", sorted: "descending" },
    cell: ({ row: { original: notice } }) => <RelativeTime iso={notice.at} className="text-ink-2" />,
  }),
];

function toldWords({ sends }: Notice): string {
  if (sends.length === 0) return "Not by a notice";
  return sends
    .map(({ channel, state, failure }) => {
      const words = noticeSendStateLabels[state].toLowerCase();
      return `${channels[channel]}: ${words}${failure === null || state === "sent" ? "" : ` (${failure})`}`;
    })
    .join(", ");
}

/** Every change of state of the affiliate's endpoints, and how the reader was told of it. */
export function NoticeList() {
  const [{ cursor }, setParams] = useQueryStates(noticeParams, { history: "push" });
  const query = useQuery({
    ...noticeListOptions(noticeFilters(cursor)),
    refetchInterval: useLiveInterval(),
    placeholderData: keepPreviousData,
  });
  return (
    <section aria-labelledby="past-notices" className="mt-6">
      <h2 id="past-notices" className="mb-2 font-semibold text-sm">
        What happened so far
      </h2>
      <ListView
        caption="Notices, latest first"
        noun="notices"
        query={query}
        columns={columns}
        rowKey={({ id }) => id}
        rowKeys={false}
        cursor={cursor}
        onCursor={(next) => void setParams({ cursor: next })}
        empty={
          <EmptyState icon={BellRing} title="Nothing has happened yet">
            <p>
              When one of your endpoints begins to fail, is disabled or works again, it will be here, and you
              are told as you choose above.
            </p>
          </EmptyState>
        }
      />
    </section>
  );
}
