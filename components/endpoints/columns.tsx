"use client";

import Link from "next/link";
import { listColumnHelper } from "#components/data-table/data-table.tsx";
import { RowLink } from "#components/data-table/row-link.tsx";
import { useClockText } from "#components/layout/clock.tsx";
import { useTimeZone } from "#components/layout/preferences.ts";
import { usePlace } from "#components/layout/reader.tsx";
import { RelativeTime } from "#components/layout/time.tsx";
import { classNames } from "#components/ui/class-names.ts";
import { withQuery } from "#lib/api/fetcher.ts";
import type { CappedCount } from "#lib/api/paging.ts";
import type { Endpoint } from "#lib/endpoints/schema.ts";
import { endpointCause, endpointCauseShort } from "#lib/endpoints/words.ts";
import { formatCapped, formatCount, formatMs, formatShare, formatSpan } from "#lib/format.ts";
import { DaySpark, dayTotals } from "./day-spark.tsx";
import { EndpointStatusPill } from "./status-pill.tsx";

const helper = listColumnHelper<Endpoint>();

/** Names the affiliate in a second line, which fits the row's height. */
const name = helper.display({
  id: "name",
  header: "Endpoint",
  meta: { phone: "lead", className: "truncate" },
  cell: ({ row: { original: endpoint } }) => (
    <span className="flex min-w-0 flex-col">
      <EndpointLink endpoint={endpoint} />
      <span className="truncate text-ink-3 text-xs leading-4" title={endpoint.affiliate.key}>
        {endpoint.affiliate.name}
      </span>
    </span>
  ),
});

const nameAlone = helper.display({
  id: "name",
  header: "Endpoint",
  meta: { phone: "lead", className: "truncate" },
  cell: ({ row: { original: endpoint } }) => <EndpointLink endpoint={endpoint} />,
});

const status = helper.display({
  id: "status",
  header: "State",
  meta: { phone: "lead-end", className: "sm:w-[24%]" },
  cell: ({ row: { original: endpoint } }) => <Status endpoint={endpoint} />,
});

const failures = helper.display({
  id: "failures",
  header: "Failed, 24 h",
  meta: { phone: "hidden", className: "sm:w-32 sm:max-lg:hidden" },
  cell: ({ row: { original: endpoint } }) => <FailureRate endpoint={endpoint} />,
});

const p95 = helper.display({
  id: "p95",
  header: "P95, 24 h",
  meta: { phone: "hidden", className: "sm:w-32 sm:max-xl:hidden" },
  cell: ({ row: { original: endpoint } }) => <P95 endpoint={endpoint} />,
});

const backlog = helper.display({
  id: "backlog",
  header: "Backlog",
  meta: { phone: "second-end", className: "sm:w-38" },
  cell: ({ row: { original: endpoint } }) => <Backlog endpoint={endpoint} />,
});

const deadLetters = helper.display({
  id: "dead_letters",
  header: "Dead letters",
  meta: { phone: "hidden", className: "sm:w-25 sm:max-lg:hidden" },
  cell: ({ row: { original: endpoint } }) => (
    <Count
      count={endpoint.activity?.dead_letters}
      href={withQuery("/deliveries", { endpoint: endpoint.id, state: "dead_letter" })}
      what="dead letters"
      alarming
    />
  ),
});

const lastSuccess = helper.display({
  id: "last_success",
  header: "Last success",
  meta: { phone: "hidden", className: "sm:w-26 sm:max-xl:hidden" },
  cell: ({ row: { original: endpoint } }) =>
    endpoint.health.last_success_at === null ? (
      <span className="text-ink-3">Never</span>
    ) : (
      <RelativeTime iso={endpoint.health.last_success_at} className="text-ink-2" />
    ),
});

const day = helper.display({
  id: "day",
  header: "24 h",
  meta: { phone: "hidden", className: "sm:w-26 sm:max-lg:hidden" },
  cell: ({ row: { original: endpoint } }) =>
    endpoint.activity ? <DaySpark hours={endpoint.activity.hours} /> : null,
});

const numbers = [status, failures, p95, backlog, deadLetters, lastSuccess, day];

export const endpointColumns = [name, ...numbers];

/** For a page that is about one affiliate. */
export const affiliateEndpointColumns = [nameAlone, ...numbers];

/** What the queue holds, endpoint by endpoint. */
export const backlogColumns = [name, status, backlog, deadLetters, lastSuccess];

function EndpointLink({ endpoint }: { endpoint: Endpoint }) {
  const place = usePlace();
  return (
    <RowLink href={place(`/endpoints/${endpoint.id}`)} title={endpoint.url} className="truncate">
      {endpoint.name}
    </RowLink>
  );
}

/** The pill, and in a few words why and what comes next. */
function Status({ endpoint }: { endpoint: Endpoint }) {
  const timeZone = useTimeZone();
  const cause = useClockText((nowMs) => endpointCause(endpoint, nowMs, timeZone));
  const words = useClockText((nowMs) => endpointCauseShort(endpoint, nowMs, timeZone));
  return (
    <span title={cause} className="flex min-w-0 items-center gap-2">
      <EndpointStatusPill endpoint={endpoint} />
      {words ? <span className="truncate text-ink-2 max-sm:hidden">{words}</span> : null}
    </span>
  );
}

function FailureRate({ endpoint: { activity } }: { endpoint: Endpoint }) {
  if (!activity) return null;
  const { attempts, failed } = dayTotals(activity.hours);
  if (attempts === 0) return <span className="text-ink-3">No attempts</span>;
  return <Sampled value={formatShare(failed, attempts)} of={attempts} alarming={failed > 0} />;
}

function P95({ endpoint: { health } }: { endpoint: Endpoint }) {
  const { latency } = health;
  if (!latency) return <span className="text-ink-3">No attempts</span>;
  return (
    <Sampled
      value={formatMs(latency.p95_ms)}
      of={latency.samples}
      alarming={latency.slow || latency.slowing}
    />
  );
}

/** A statistic, and how many samples it rests on. */
function Sampled({ value, of, alarming }: { value: string; of: number; alarming: boolean }) {
  return (
    <>
      <span className={classNames(alarming && "font-medium text-ink", !alarming && "text-ink-2")}>
        {value}
      </span>{" "}
      <span className="text-ink-3 text-xs">of {formatCount(of)}</span>
    </>
  );
}

function Backlog({ endpoint }: { endpoint: Endpoint }) {
  const oldest = endpoint.activity?.oldest_due_at ?? null;
  const age = useClockText((nowMs) => (oldest === null ? "" : formatSpan(nowMs - Date.parse(oldest))));
  return (
    <span className="inline-flex max-w-full items-baseline gap-1.5">
      <Count count={endpoint.activity?.backlog} href={`/endpoints/${endpoint.id}#backlog`} what="waiting" />
      {oldest === null ? null : (
        <span className="truncate text-ink-3 text-xs" title={`The oldest has been due for ${age}`}>
          <span className="sr-only">, the oldest due for </span>
          {age}
        </span>
      )}
    </span>
  );
}

type CountProps = { count: CappedCount | undefined; href: string; what: string; alarming?: boolean };

function Count({ count, href, what, alarming = false }: CountProps) {
  const place = usePlace();
  if (!count) return null;
  const noun = <span className="sm:sr-only"> {what}</span>;
  if (count.count === 0) return <span className="text-ink-3">0{noun}</span>;
  return (
    <Link
      href={place(href)}
      prefetch={false}
      className={classNames("underline-offset-2 hover:underline", alarming ? "text-bad" : "text-ink-2")}
    >
      {formatCapped(count)}
      {noun}
    </Link>
  );
}
