"use client";

import { useQuery } from "@tanstack/react-query";
import { CircleMinus, Hourglass } from "lucide-react";
import Link from "next/link";
import { useState } from "react";
import { AuditPanel } from "#components/audit/audit-panel.tsx";
import { ErrorState, StaleNotice } from "#components/data-table/states.tsx";
import { DeliveryStatePill } from "#components/deliveries/state-pill.tsx";
import { PageHeader } from "#components/layout/page-header.tsx";
import { useLiveInterval } from "#components/layout/preferences.ts";
import { RecordSkeleton } from "#components/layout/record-skeleton.tsx";
import { ExactTime } from "#components/layout/time.tsx";
import { RevealBar } from "#components/redaction/reveal-bar.tsx";
import { CodeBlock } from "#components/ui/code-block.tsx";
import { CopyableMono, MiddleCut } from "#components/ui/mono.tsx";
import { Fact, Facts, Panel } from "#components/ui/panel.tsx";
import { Pill } from "#components/ui/pill.tsx";
import { withQuery } from "#lib/api/fetcher.ts";
import { filterWords } from "#lib/endpoints/setting-words.ts";
import { eventOptions, revealEventOptions } from "#lib/events/client.ts";
import type { EventDetail, EventRecipient } from "#lib/events/schema.ts";
import { formatBytes, formatNoun } from "#lib/format.ts";
import { reasonSentences } from "#lib/vocabulary.ts";

const trail = [{ href: "/events", label: "Events" }];

export function EventView({ id }: { id: string }) {
  const query = useQuery({ ...eventOptions(id), refetchInterval: useLiveInterval() });
  const { data: asked, error } = query;
  const [revealed, setRevealed] = useState<EventDetail | null>(null);
  const isRevealed = revealed !== null && revealed.id === asked?.id;
  const event = asked && isRevealed ? { ...asked, ...valuesOf(revealed) } : asked;
  const retry = () => void query.refetch();
  if (!event) {
    return (
      <>
        <PageHeader title="Event" trail={trail} />
        {error ? (
          <ErrorState what="The event" error={error} onRetry={retry} busy={query.isFetching} />
        ) : (
          <RecordSkeleton />
        )}
      </>
    );
  }
  return (
    <>
      <PageHeader
        title={event.type}
        trail={trail}
        description={<CopyableMono text={event.id} what="event id" />}
      />
      {error ? <StaleNotice error={error} onRetry={retry} busy={query.isFetching} /> : null}
      <RevealBar
        id={event.id}
        masked={event.masked}
        isRevealed={isRevealed}
        options={revealEventOptions}
        onRevealed={setRevealed}
      />
      <div className="grid items-start gap-4 xl:grid-cols-[minmax(0,1fr)_22rem]">
        <Recipients event={event} />
        <EventFacts event={event} />
        <Panel title="Data">
          {event.data_text === null ? (
            <p className="text-ink-2">It is no longer kept: the time for which bodies are kept has ended.</p>
          ) : (
            <CodeBlock
              text={event.data_text}
              what="Data"
              note={
                event.masked && !isRevealed ? "As received, but for what is masked." : "Exactly as received."
              }
            />
          )}
        </Panel>
      </div>
      <AuditPanel kind="event" id={event.id} />
    </>
  );
}

function valuesOf({ data_text, ordering_key }: EventDetail): Pick<EventDetail, "data_text" | "ordering_key"> {
  return { data_text, ordering_key };
}

function Recipients({ event }: { event: EventDetail }) {
  const sent = event.recipients.filter(({ decision }) => decision === "delivery").length;
  return (
    <Panel
      title="Who got it, and who did not"
      aside={
        sent > 0 ? (
          <Link
            href={withQuery("/deliveries", { event: event.id })}
            prefetch={false}
            className="text-ink-2 underline underline-offset-2"
          >
            {formatNoun(sent, "delivery", "deliveries")}
          </Link>
        ) : null
      }
    >
      {event.recipients.length === 0 ? (
        <p className="text-ink-2">
          Nobody: {event.affiliate.name} has no endpoints. The event is kept.{" "}
          <Link
            href={withQuery("/endpoints/new", { affiliate: event.affiliate.key })}
            className="underline underline-offset-2"
          >
            Create an endpoint
          </Link>{" "}
          for the events to come.
        </p>
      ) : (
        <ul className="-my-2">
          {event.recipients.map((recipient) => (
            <li
              key={recipient.endpoint.id}
              className="flex flex-wrap items-center gap-x-3 gap-y-1 border-line border-b py-2 last:border-b-0"
            >
              <Link
                href={`/endpoints/${recipient.endpoint.id}`}
                prefetch={false}
                className="font-medium hover:underline"
              >
                {recipient.endpoint.name}
              </Link>
              <MiddleCut text={recipient.endpoint.url} className="max-w-80 font-mono text-ink-3 text-xs" />
              <span className="ml-auto flex flex-wrap items-center gap-2">
                <Decision recipient={recipient} eventType={event.type} />
              </span>
            </li>
          ))}
        </ul>
      )}
    </Panel>
  );
}

function Decision({
  recipient: { decision, filter, delivery },
  eventType,
}: {
  recipient: EventRecipient;
  eventType: string;
}) {
  if (delivery) {
    return (
      <>
        {delivery.reason ? <span className="text-ink-2">{reasonSentences[delivery.reason]}</span> : null}
        <DeliveryStatePill delivery={delivery} />
        <Link href={`/deliveries/${delivery.id}`} prefetch={false} className="underline underline-offset-2">
          Delivery {delivery.id}
        </Link>
      </>
    );
  }
  if (decision === "awaiting_fan_out" || decision === "delivery") {
    return (
      <Pill tone="info" icon={Hourglass}>
        About to be decided
      </Pill>
    );
  }
  return (
    <>
      <span className="wrap-anywhere text-ink-2">{notSentWords({ decision, filter, eventType })}</span>
      <Pill tone="idle" icon={CircleMinus}>
        Not sent
      </Pill>
    </>
  );
}

function notSentWords({
  decision,
  filter,
  eventType,
}: Pick<EventRecipient, "decision" | "filter"> & { eventType: string }): string {
  if (decision === "not_subscribed") return `It does not subscribe to ${eventType}`;
  if (decision === "changed_since") return "It did not want this event then; its settings have changed since";
  if (decision === "created_later") return "It was created after this event";
  return filter
    ? `It wants only events whose ${filterWords(filter)}, which does not hold for this one`
    : "Its filters keep this event out";
}

function EventFacts({ event }: { event: EventDetail }) {
  return (
    <Panel title="Details" className="xl:row-span-2">
      <Facts>
        <Fact name="Type">
          <Link
            href={`/event-types/${encodeURIComponent(event.type)}`}
            prefetch={false}
            className="underline underline-offset-2"
          >
            {event.type}
          </Link>
        </Fact>
        <Fact name="Affiliate">
          {event.affiliate.name} <code className="font-mono text-ink-3 text-xs">{event.affiliate.key}</code>
        </Fact>
        <Fact name="Occurred">
          <ExactTime iso={event.occurred_at} />
        </Fact>
        <Fact name="Received">
          <ExactTime iso={event.received_at} />
        </Fact>
        <Fact name="Data">{formatBytes(event.data_bytes)}</Fact>
        {event.ordering_key === null ? null : (
          <Fact name="Ordering key">
            <code className="font-mono text-xs">{event.ordering_key}</code>
          </Fact>
        )}
      </Facts>
    </Panel>
  );
}
