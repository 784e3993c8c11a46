"use client";

import { useQuery } from "@tanstack/react-query";
import Link from "next/link";
import { useQueryStates } from "nuqs";
import { useState } from "react";
import { AuditPanel } from "#components/audit/audit-panel.tsx";
import { ErrorState, StaleNotice } from "#components/data-table/states.tsx";
import { PageHeader } from "#components/layout/page-header.tsx";
import { useLiveInterval } from "#components/layout/preferences.ts";
import { useIsAffiliate, usePlace } from "#components/layout/reader.tsx";
import { RecordSkeleton } from "#components/layout/record-skeleton.tsx";
import { ExactTime } from "#components/layout/time.tsx";
import { RevealBar } from "#components/redaction/reveal-bar.tsx";
import { CodeBlock } from "#components/ui/code-block.tsx";
import { CopyableMono } from "#components/ui/mono.tsx";
import { Fact, Facts, Panel } from "#components/ui/panel.tsx";
import { withQuery } from "#lib/api/fetcher.ts";
import { deliveryOptions, revealDeliveryOptions } from "#lib/deliveries/client.ts";
import type { Attempt, DeliveryDetail } from "#lib/deliveries/schema.ts";
import { endpointOptions } from "#lib/endpoints/client.ts";
import { ownerRemedies, toOwner } from "#lib/endpoints/owner-words.ts";
import { reasonRemedies, reasonSentences } from "#lib/vocabulary.ts";
import { AttemptItem } from "./attempt.tsx";
import { CopyAsCurl } from "./copy-as-curl.tsx";
import { deliveryFilterParams, deliveryNarrowing } from "./list-params.ts";
import { Neighbours } from "./neighbours.tsx";
import { useNextWords } from "./next-words.tsx";
import { ResendActions, ResendsLeft } from "./resend-actions.tsx";
import { DeliveryStatePill } from "./state-pill.tsx";

/** While it moves, it is looked at this often, however rarely the page refreshes otherwise. */
const watchMs = 1_000;

export function DeliveryView({ id }: { id: string }) {
  const [params] = useQueryStates(deliveryFilterParams);
  const filters = deliveryNarrowing(params);
  const isNarrowed = Object.keys(filters).length > 0;
  const place = usePlace();
  const isOwner = useIsAffiliate();
  const trail = [
    {
      href: withQuery(place("/deliveries"), filters),
      label: isNarrowed ? "Deliveries, filtered" : "Deliveries",
    },
  ];
  const live = useLiveInterval();
  const query = useQuery({
    ...deliveryOptions(id),
    refetchInterval: (polled) => {
      const interval = live(polled);
      return interval !== false && isMoving(polled.state.data) ? watchMs : interval;
    },
  });
  const { data: asked, error } = query;
  const [revealed, setRevealed] = useState<DeliveryDetail | null>(null);
  const isRevealed = revealed !== null && revealed.id === asked?.id;
  const delivery = asked && isRevealed ? withValues(asked, revealed) : asked;
  const retry = () => void query.refetch();
  if (!delivery) {
    return (
      <>
        <PageHeader title={`Delivery ${id}`} trail={trail} />
        {error ? (
          <ErrorState what={`Delivery ${id}`} error={error} onRetry={retry} busy={query.isFetching} />
        ) : (
          <RecordSkeleton />
        )}
      </>
    );
  }
  return (
    <>
      <PageHeader
        title={`Delivery ${delivery.id}`}
        trail={trail}
        status={
          <span className="flex flex-wrap items-center gap-2">
            <DeliveryStatePill delivery={delivery} />
            <WhatNext delivery={delivery} />
          </span>
        }
        description={<Cause delivery={delivery} />}
        actions={
          <>
            <ResendActions delivery={delivery} />
            <Neighbours id={delivery.id} filters={filters} />
            <ResendsLeft delivery={delivery} />
          </>
        }
      />
      {error ? <StaleNotice error={error} onRetry={retry} busy={query.isFetching} /> : null}
      <RevealBar
        id={delivery.id}
        masked={delivery.masked}
        isRevealed={isRevealed}
        options={revealDeliveryOptions}
        onRevealed={setRevealed}
      />
      <div className="grid items-start gap-4 xl:grid-cols-[minmax(0,1fr)_22rem]">
        <Timeline delivery={delivery} />
        <DeliveryFacts delivery={delivery} />
        <RequestPanel delivery={delivery} isMasked={delivery.masked && !isRevealed} />
      </div>
      {isOwner ? null : <AuditPanel kind="delivery" id={delivery.id} />}
    </>
  );
}

/** Its next attempt is due or being made, so that its result is seconds away: somebody may have just resent it. */
function isMoving(delivery: DeliveryDetail | undefined): boolean {
  if (delivery?.state === "in_flight") return true;
  return delivery?.state === "pending" && !delivery.held && !delivery.blocked && !delivery.behind_breaker;
}

/** What was revealed in place of what is masked; an attempt made since is as it came. */
function withValues(delivery: DeliveryDetail, { request, attempts }: DeliveryDetail): DeliveryDetail {
  const key = ({ number, started_at }: Attempt) => `${number} ${started_at}`;
  const known = new Map(attempts.map((attempt) => [key(attempt), attempt]));
  return {
    ...delivery,
    request,
    attempts: delivery.attempts.map((attempt) => known.get(key(attempt)) ?? attempt),
  };
}

/** What every attempt sends; secrets are shown as the macros that they stand in the template as. */
function RequestPanel({ delivery, isMasked }: { delivery: DeliveryDetail; isMasked: boolean }) {
  const { request, endpoint, attempt_number } = delivery;
  if (request === null) {
    const purged = "It is no longer kept: the time for which bodies are kept has ended.";
    const unrendered = "There is none: the template could not be rendered for this event.";
    return (
      <Panel title="Request">
        <p className="text-ink-2">
          {endpoint.kind === "postback" && attempt_number === 0 ? unrendered : purged}
        </p>
      </Panel>
    );
  }
  const { method, url, content_type, body } = request;
  return (
    <Panel title="Request" aside={<CopyAsCurl delivery={delivery} request={request} />}>
      <div className="flex flex-col gap-4">
        <CodeBlock
          text={url}
          what="URL"
          note={`${method}${content_type === null ? "" : `, ${content_type}`}`}
        />
        {body === null ? null : (
          <CodeBlock
            text={body}
            what="Request body"
            note={
              isMasked
                ? "What every attempt sends, but for what is masked."
                : "Byte for byte what every attempt sends."
            }
          />
        )}
      </div>
    </Panel>
  );
}

/** The endpoint says who stopped it and when, so it is asked only for a delivery that is held. */
function WhatNext({ delivery }: { delivery: DeliveryDetail }) {
  const { data: endpoint } = useQuery({ ...endpointOptions(delivery.endpoint.id), enabled: delivery.held });
  return <span className="text-ink-2">{useNextWords(delivery, endpoint)}</span>;
}

function Cause({ delivery }: { delivery: DeliveryDetail }) {
  const isOwner = useIsAffiliate();
  if (delivery.reason === null) return null;
  const sentence = reasonSentences[delivery.reason];
  const remedies = isOwner ? ownerRemedies : reasonRemedies;
  const remedy = ["dead_letter", "skipped"].includes(delivery.state) ? remedies[delivery.reason] : "";
  return (
    <p>
      {isOwner ? toOwner(sentence) : sentence}
      {delivery.last_status === null ? "" : ` (${delivery.last_status})`}. {remedy}
    </p>
  );
}

function Timeline({ delivery }: { delivery: DeliveryDetail }) {
  const attempts = delivery.attempts.toReversed();
  return (
    <section aria-labelledby="attempts" className="min-w-0 rounded-lg border border-line">
      <h2
        id="attempts"
        className="flex min-h-10 items-center border-line border-b px-4 font-semibold text-sm"
      >
        Attempts
      </h2>
      <ol reversed className="[&>li:last-child>details]:border-b-0">
        <NextAttempt delivery={delivery} />
        {attempts.map((attempt, index) => (
          <AttemptItem
            key={`${attempt.number} ${attempt.started_at}`}
            attempt={attempt}
            method={delivery.request?.method ?? (delivery.endpoint.kind === "webhook" ? "POST" : null)}
            open={index === 0}
          />
        ))}
        {attempts.length === 0 && delivery.state !== "pending" && delivery.state !== "in_flight" ? (
          <li className="px-4 py-3 text-ink-2">No request was made.</li>
        ) : null}
      </ol>
    </section>
  );
}

/** The attempt to come stands above those that were. */
function NextAttempt({ delivery }: { delivery: DeliveryDetail }) {
  const words = useNextWords(delivery);
  if (!["pending", "failed", "in_flight"].includes(delivery.state)) return null;
  const number = delivery.state === "in_flight" ? delivery.attempt_number : delivery.attempt_number + 1;
  return (
    <li className="flex flex-wrap items-center gap-x-3 border-line border-b border-dashed px-4 py-2.5 pl-11 last:border-b-0">
      <span className="font-medium">Attempt {number}</span>
      <span className="text-ink-2">{delivery.state === "in_flight" ? "Being made now" : words}</span>
      {delivery.held || delivery.next_attempt_at === null || delivery.state === "in_flight" ? null : (
        <ExactTime iso={delivery.next_attempt_at} className="ml-auto text-ink-2" />
      )}
    </li>
  );
}

function DeliveryFacts({ delivery }: { delivery: DeliveryDetail }) {
  const { endpoint, affiliate } = delivery;
  const isOwner = useIsAffiliate();
  const place = usePlace();
  return (
    <Panel title="Details" className="xl:row-span-2">
      <Facts>
        <Fact name="Id">
          <CopyableMono text={delivery.id} what="delivery id" />
        </Fact>
        <Fact name="Event">
          {isOwner ? (
            delivery.event_type
          ) : (
            <Link href={`/events/${delivery.event_id}`} className="underline underline-offset-2">
              {delivery.event_type}
            </Link>
          )}
          <br />
          <CopyableMono text={delivery.event_id} what="event id" />
        </Fact>
        <Fact name="Endpoint">
          {endpoint.status === "deleted" ? (
            `${endpoint.name} (deleted)`
          ) : (
            <Link href={place(`/endpoints/${endpoint.id}`)} className="underline underline-offset-2">
              {endpoint.name}
            </Link>
          )}
          <br />
          <CopyableMono text={endpoint.url} what="endpoint URL" />
        </Fact>
        {isOwner ? null : (
          <Fact name="Affiliate">
            {affiliate.name} <code className="font-mono text-ink-3 text-xs">{affiliate.key}</code>
          </Fact>
        )}
        <Fact name="Attempts used">
          {delivery.attempts_charged} of {delivery.max_attempts}
        </Fact>
        <Fact name="Occurred">
          <ExactTime iso={delivery.occurred_at} />
        </Fact>
        <Fact name="Created">
          <ExactTime iso={delivery.created_at} />
        </Fact>
        {delivery.delivered_at === null ? null : (
          <Fact name="Delivered">
            <ExactTime iso={delivery.delivered_at} />
          </Fact>
        )}
      </Facts>
    </Panel>
  );
}
