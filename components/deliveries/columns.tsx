"use client";

import Link from "next/link";
import { listColumnHelper } from "#components/data-table/data-table.tsx";
import { RowLink } from "#components/data-table/row-link.tsx";
import { useIsAffiliate, usePlace } from "#components/layout/reader.tsx";
import { RelativeTime } from "#components/layout/time.tsx";
import { withQuery } from "#lib/api/fetcher.ts";
import type { DeliveryNarrowing } from "#lib/deliveries/client.ts";
import type { Delivery } from "#lib/deliveries/schema.ts";
import { toOwner } from "#lib/endpoints/owner-words.ts";
import { formatMs } from "#lib/format.ts";
import { reasonSentences } from "#lib/vocabulary.ts";
import { DeliveryNext } from "./next-words.tsx";
import { DeliveryStatePill } from "./state-pill.tsx";

const helper = listColumnHelper<Delivery>();

const idColumn = (filters: DeliveryNarrowing) =>
  helper.display({
    id: "id",
    header: "Delivery",
    meta: { phone: "lead", className: "sm:w-24" },
    cell: ({ row: { original: delivery } }) => (
      <>
        <DeliveryLink id={delivery.id} filters={filters} />
        <span className="ml-2 text-ink-2 sm:hidden">{delivery.event_type}</span>
      </>
    ),
  });

/** The link takes the list's filters along, so that the delivery's page knows what stands beside it. */
function DeliveryLink({ id, filters }: { id: string; filters: DeliveryNarrowing }) {
  const place = usePlace();
  return (
    <RowLink
      href={withQuery(place(`/deliveries/${id}`), filters)}
      className="relative inline-block font-mono text-xs"
    >
      <span className="sr-only">Delivery </span>
      {id}
    </RowLink>
  );
}

const state = helper.display({
  id: "state",
  header: "State",
  meta: { phone: "lead-end", className: "sm:w-[25%]" },
  cell: ({ row: { original: delivery } }) => (
    <span className="flex min-w-0 items-center gap-2">
      <DeliveryStatePill delivery={delivery} />
      <DeliveryNext delivery={delivery} className="truncate text-ink-2 max-sm:hidden" />
    </span>
  ),
});

const eventType = helper.display({
  id: "event_type",
  header: "Event type",
  meta: { phone: "hidden", className: "sm:w-[16%] sm:max-md:hidden" },
  cell: ({ row: { original: delivery } }) => <span title={delivery.event_type}>{delivery.event_type}</span>,
});

const endpoint = helper.display({
  id: "endpoint",
  header: "Endpoint",
  meta: { phone: "second", className: "sm:w-[22%] truncate" },
  cell: ({ row: { original: delivery } }) => <Recipient delivery={delivery} />,
});

function Recipient({ delivery: { endpoint, affiliate } }: { delivery: Delivery }) {
  const place = usePlace();
  return (
    <>
      {endpoint.status === "deleted" ? (
        <span>{endpoint.name} (deleted)</span>
      ) : (
        <Link
          href={place(`/endpoints/${endpoint.id}`)}
          prefetch={false}
          className="underline-offset-2 hover:underline"
        >
          {endpoint.name}
        </Link>
      )}
      {useIsAffiliate() ? null : <span className="ml-2 text-ink-3">{affiliate.name}</span>}
    </>
  );
}

const answer = helper.display({
  id: "answer",
  header: "Latest answer",
  meta: { phone: "hidden", className: "sm:max-lg:hidden" },
  cell: ({ row: { original: delivery } }) => <Answer delivery={delivery} />,
});

const created = helper.display({
  id: "created",
  header: "Created",
  meta: { phone: "second-end", className: "sm:w-28", sorted: "descending" },
  cell: ({ row: { original: delivery } }) => (
    <RelativeTime iso={delivery.created_at} className="text-ink-2" />
  ),
});

export function deliveryColumns(filters: DeliveryNarrowing) {
  return [idColumn(filters), state, eventType, endpoint, answer, created];
}

/** For a list that stands on the endpoint's own page. */
export function endpointDeliveryColumns(endpointId: string) {
  return [idColumn({ endpoint: endpointId }), state, eventType, answer, created];
}

function Answer({ delivery }: { delivery: Delivery }) {
  const isOwner = useIsAffiliate();
  const sentence = delivery.reason ? reasonSentences[delivery.reason] : null;
  const words = sentence && isOwner ? toOwner(sentence) : sentence;
  const duration = delivery.last_duration_ms === null ? null : formatMs(delivery.last_duration_ms);
  if (delivery.last_status === null && words === null && duration === null) {
    return <span className="text-ink-3">None yet</span>;
  }
  return (
    <span {...(words ? { title: words } : {})}>
      {delivery.last_status === null ? null : (
        <span className="mr-2 font-mono text-xs">{delivery.last_status}</span>
      )}
      <span className="text-ink-2">{words ?? duration}</span>
    </span>
  );
}
