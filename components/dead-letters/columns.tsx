import Link from "next/link";
import { listColumnHelper } from "#components/data-table/data-table.tsx";
import { RowLink } from "#components/data-table/row-link.tsx";
import { RelativeTime } from "#components/layout/time.tsx";
import type { Delivery } from "#lib/deliveries/schema.ts";
import { formatNoun } from "#lib/format.ts";
import { reasonSentences } from "#lib/vocabulary.ts";

const helper = listColumnHelper<Delivery>();

export const deadLetterColumns = [
  helper.display({
    id: "id",
    header: "Delivery",
    meta: { phone: "lead", className: "sm:w-32" },
    cell: ({ row: { original: letter } }) => (
      <>
        <RowLink href={`/deliveries/${letter.id}`} className="relative inline-block font-mono text-xs">
          <span className="sr-only">Delivery </span>
          {letter.id}
        </RowLink>
        <span className="ml-2 text-ink-2 sm:hidden">{letter.event_type}</span>
      </>
    ),
  }),
  helper.display({
    id: "reason",
    header: "Why it was given up",
    meta: { phone: "second", className: "sm:w-[32%] truncate" },
    cell: ({ row: { original: letter } }) => <Why letter={letter} />,
  }),
  helper.display({
    id: "event_type",
    header: "Event type",
    meta: { phone: "hidden", className: "sm:w-[14%] truncate sm:max-md:hidden" },
    cell: ({ row: { original: letter } }) => <span title={letter.event_type}>{letter.event_type}</span>,
  }),
  helper.display({
    id: "endpoint",
    header: "Endpoint",
    meta: { phone: "hidden", className: "truncate" },
    cell: ({ row: { original: letter } }) => (
      <>
        {letter.endpoint.status === "deleted" ? (
          <span>{letter.endpoint.name} (deleted)</span>
        ) : (
          <Link
            href={`/endpoints/${letter.endpoint.id}`}
            prefetch={false}
            className="underline-offset-2 hover:underline"
          >
            {letter.endpoint.name}
          </Link>
        )}
        <span className="ml-2 text-ink-3">{letter.affiliate.name}</span>
      </>
    ),
  }),
  helper.display({
    id: "attempts",
    header: "Attempts",
    meta: { phone: "hidden", className: "sm:w-24 sm:max-lg:hidden" },
    cell: ({ row: { original: letter } }) => (
      <span className="text-ink-2">{formatNoun(letter.attempts_charged, "attempt")}</span>
    ),
  }),
  helper.display({
    id: "ended_at",
    header: "Given up",
    meta: { phone: "second-end", className: "sm:w-28", sorted: "descending" },
    cell: ({ row: { original: letter } }) =>
      letter.ended_at ? <RelativeTime iso={letter.ended_at} className="text-ink-2" /> : null,
  }),
];

function Why({ letter: { reason, last_status } }: { letter: Delivery }) {
  const words = reason ? reasonSentences[reason] : "No reason was recorded";
  return (
    <span title={words}>
      {last_status === null ? null : <span className="mr-2 font-mono text-xs">{last_status}</span>}
      {words}
    </span>
  );
}
