"use client";

import { listColumnHelper } from "#components/data-table/data-table.tsx";
import { RowLink } from "#components/data-table/row-link.tsx";
import { useClockText } from "#components/layout/clock.tsx";
import { RelativeTime } from "#components/layout/time.tsx";
import { TemplateText } from "#components/template-editor/template-text.tsx";
import { CopyButton } from "#components/ui/copy-button.tsx";
import { CopyableMono } from "#components/ui/mono.tsx";
import type { Endpoint } from "#lib/endpoints/schema.ts";
import { breakerWords, endpointCause, endpointCondition, lastFailureWords } from "#lib/endpoints/words.ts";
import { formatNoun, formatRelative } from "#lib/format.ts";
import { EndpointStatusPill } from "./status-pill.tsx";

const helper = listColumnHelper<Endpoint>();

export const endpointColumns = [
  helper.display({
    id: "name",
    header: "Endpoint",
    meta: { phone: "lead", className: "truncate" },
    cell: ({ row: { original: endpoint } }) => (
      <>
        <RowLink href={`/endpoints/${endpoint.id}`}>{endpoint.name}</RowLink>
        <span className="ml-2 text-ink-3">{endpoint.affiliate.name}</span>
      </>
    ),
  }),
  helper.display({
    id: "status",
    header: "Status",
    meta: { phone: "lead-end", className: "sm:w-[27%]" },
    cell: ({ row: { original: endpoint } }) => <Status endpoint={endpoint} />,
  }),
  helper.display({
    id: "url",
    header: "URL",
    meta: { phone: "second", className: "sm:w-[21%]" },
    cell: ({ row: { original: endpoint } }) => <Target endpoint={endpoint} />,
  }),
  helper.display({
    id: "event_types",
    header: "Event types",
    meta: { phone: "hidden", className: "sm:w-[11%] sm:max-xl:hidden" },
    cell: ({ row: { original: endpoint } }) => <EventTypes names={endpoint.event_types} />,
  }),
  helper.display({
    id: "last_success",
    header: "Last success",
    meta: { phone: "second-end", className: "sm:w-28 sm:max-lg:hidden" },
    cell: ({ row: { original: endpoint } }) => <When iso={endpoint.health.last_success_at} />,
  }),
  helper.display({
    id: "last_failure",
    header: "Last failure",
    meta: { phone: "hidden", className: "sm:w-28 sm:max-md:hidden" },
    cell: ({ row: { original: endpoint } }) => (
      <span title={lastFailureWords(endpoint) ?? undefined}>
        <When iso={endpoint.health.last_failure_at} />
      </span>
    ),
  }),
];

/** A template is cut at its end: what tells one from another are its host, its path and its first macros. */
function Target({ endpoint: { url, postback } }: { endpoint: Endpoint }) {
  if (postback === null) return <CopyableMono text={url} what="URL" />;
  return (
    <span className="inline-flex min-w-0 max-w-full items-center gap-1.5 align-middle" title={url}>
      <span className="shrink-0 text-ink-3 text-xs">
        <span className="max-xl:sr-only">Postback, </span>
        {postback.method}
      </span>
      <span className="truncate">
        <TemplateText text={url.replace(/^https?:\/\//, "")} kind="url" />
      </span>
      <CopyButton text={url} what="URL template" />
    </span>
  );
}

function When({ iso }: { iso: string | null }) {
  return iso === null ? (
    <span className="text-ink-3">Never</span>
  ) : (
    <RelativeTime iso={iso} className="text-ink-2" />
  );
}

/** The pill, and in a few words what it means. */
function Status({ endpoint }: { endpoint: Endpoint }) {
  const cause = useClockText((nowMs) => endpointCause(endpoint, nowMs));
  const since = useClockText((nowMs) => formatRelative(endpoint.status_changed_at, nowMs));
  const breaker = useClockText((nowMs) => breakerWords(endpoint.breaker, nowMs) ?? "");
  const condition = endpointCondition(endpoint);
  const words = {
    healthy: null,
    unused: null,
    breaker_open: breaker,
    failing: lastFailureWords(endpoint) ?? formatNoun(endpoint.health.consecutive_failures, "failure"),
    paused: `by ${endpoint.status_changed_by}, ${since}`,
    disabled: `by ${endpoint.status_changed_by}, ${since}`,
  }[condition];
  return (
    <span title={cause} className="flex min-w-0 items-center gap-2">
      <EndpointStatusPill endpoint={endpoint} />
      {words ? <span className="truncate text-ink-2 max-sm:hidden">{words}</span> : null}
    </span>
  );
}

function EventTypes({ names }: { names: string[] | null }) {
  if (names === null) return <span className="text-ink-2">All</span>;
  const [first, ...rest] = names;
  return (
    <span title={names.join(", ")} className="text-ink-2">
      {first}
      {rest.length > 0 ? ` +${rest.length}` : ""}
    </span>
  );
}
