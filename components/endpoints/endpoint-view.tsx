"use client";

import { useQuery } from "@tanstack/react-query";
import { Pencil } from "lucide-react";
import Link from "next/link";
import { ErrorState, StaleNotice } from "#components/data-table/states.tsx";
import { useClockText } from "#components/layout/clock.tsx";
import { PageHeader } from "#components/layout/page-header.tsx";
import { useLiveInterval } from "#components/layout/preferences.ts";
import { RecordSkeleton } from "#components/layout/record-skeleton.tsx";
import { ExactTime, RelativeTime } from "#components/layout/time.tsx";
import { ButtonLink } from "#components/ui/button.tsx";
import { CopyableMono } from "#components/ui/mono.tsx";
import { Fact, Facts, Panel } from "#components/ui/panel.tsx";
import { withQuery } from "#lib/api/fetcher.ts";
import { endpointOptions } from "#lib/endpoints/client.ts";
import { retryWords } from "#lib/endpoints/retry-words.ts";
import type { EndpointDetail } from "#lib/endpoints/schema.ts";
import { endpointCause, lastFailureWords } from "#lib/endpoints/words.ts";
import { formatCapped, formatCount, formatMs, formatNoun, formatSpan } from "#lib/format.ts";
import { breakerStateLabels, type DeliveryState } from "#lib/vocabulary.ts";
import { backlogCount } from "./backlog-words.ts";
import { DeleteAction } from "./delete-action.tsx";
import { EndpointDeliveries } from "./endpoint-deliveries.tsx";
import { SecretPanel } from "./secret-panel.tsx";
import { StatusAction } from "./status-actions.tsx";
import { EndpointStatusPill } from "./status-pill.tsx";

const trail = [{ href: "/endpoints", label: "Endpoints" }];

export function EndpointView({ id }: { id: string }) {
  const query = useQuery({ ...endpointOptions(id), refetchInterval: useLiveInterval() });
  const { data: endpoint, error } = query;
  const retry = () => void query.refetch();
  if (!endpoint) {
    return (
      <>
        <PageHeader title="Endpoint" trail={trail} />
        {error ? (
          <ErrorState what="The endpoint" error={error} onRetry={retry} busy={query.isFetching} />
        ) : (
          <RecordSkeleton />
        )}
      </>
    );
  }
  return (
    <>
      <PageHeader
        title={endpoint.name}
        trail={trail}
        status={<EndpointStatusPill endpoint={endpoint} />}
        description={<Cause endpoint={endpoint} />}
        actions={
          <>
            <StatusAction endpoint={endpoint} />
            <ButtonLink href={`/endpoints/${endpoint.id}/edit`}>
              <Pencil aria-hidden />
              Edit
            </ButtonLink>
            <DeleteAction endpoint={endpoint} />
          </>
        }
      />
      {error ? <StaleNotice error={error} onRetry={retry} busy={query.isFetching} /> : null}
      <div className="grid items-start gap-4 lg:grid-cols-2 2xl:grid-cols-4">
        <Health endpoint={endpoint} />
        <Backlog endpoint={endpoint} />
        <Configuration endpoint={endpoint} />
        <SecretPanel endpointId={endpoint.id} />
      </div>
      <EndpointDeliveries endpoint={endpoint} />
    </>
  );
}

function Cause({ endpoint }: { endpoint: EndpointDetail }) {
  return <p>{useClockText((nowMs) => endpointCause(endpoint, nowMs))}</p>;
}

function Health({ endpoint }: { endpoint: EndpointDetail }) {
  const { health } = endpoint;
  return (
    <Panel title="Health">
      <Facts>
        <Fact name="Last success">
          {health.last_success_at ? <ExactTime iso={health.last_success_at} /> : "Never"}
        </Fact>
        <Fact name="Last failure">
          {health.last_failure_at ? (
            <>
              <ExactTime iso={health.last_failure_at} />
              <br />
              <span className="text-ink-2">{lastFailureWords(endpoint)}</span>
            </>
          ) : (
            "Never"
          )}
        </Fact>
        <Fact name="Breaker">{breakerStateLabels[endpoint.breaker.state]}</Fact>
        <Fact name="Failures in a row">{formatCount(health.consecutive_failures)}</Fact>
        <Fact name="P50, P95, P99">
          {health.latency
            ? `${[health.latency.p50_ms, health.latency.p95_ms, health.latency.p99_ms].map(formatMs).join(", ")} of ${formatNoun(health.latency.samples, "attempt")} in 24 h`
            : "No attempts in 24 h"}
        </Fact>
        <Fact name="In flight">{formatNoun(health.in_flight, "request")}</Fact>
      </Facts>
    </Panel>
  );
}

function Backlog({ endpoint }: { endpoint: EndpointDetail }) {
  const { backlog } = endpoint;
  return (
    <Panel title="Backlog">
      <Facts>
        <BacklogFact name="Waiting" state="pending" count={backlog.waiting} endpoint={endpoint} />
        <BacklogFact
          name="Awaiting retry"
          state="failed"
          count={backlog.awaiting_retry}
          endpoint={endpoint}
        />
        <BacklogFact
          name="Dead letters"
          state="dead_letter"
          count={backlog.dead_letters}
          endpoint={endpoint}
        />
        <Fact name="Oldest waiting">
          {backlog.oldest_waiting_at ? <RelativeTime iso={backlog.oldest_waiting_at} /> : "Nothing waits"}
        </Fact>
      </Facts>
    </Panel>
  );
}

type BacklogFactProps = { name: string; state: DeliveryState; count: number; endpoint: EndpointDetail };

function BacklogFact({ name, state, count, endpoint }: BacklogFactProps) {
  return (
    <Fact name={name}>
      <Link
        href={withQuery("/deliveries", { state, endpoint: endpoint.id })}
        prefetch={false}
        className="underline underline-offset-2"
      >
        {formatCapped(backlogCount(count, endpoint.backlog))}
        <span className="sr-only"> deliveries: {name}</span>
      </Link>
    </Fact>
  );
}

function Configuration({ endpoint }: { endpoint: EndpointDetail }) {
  return (
    <Panel title="Configuration">
      <Facts>
        <Fact name="URL">
          <CopyableMono text={endpoint.url} what="URL" />
        </Fact>
        <Fact name="Affiliate">
          {endpoint.affiliate.name}{" "}
          <code className="font-mono text-ink-3 text-xs">{endpoint.affiliate.key}</code>
        </Fact>
        <Fact name="Event types">
          {endpoint.event_types === null ? "All" : endpoint.event_types.join(", ")}
        </Fact>
        <Fact name="Retries">{retryWords(endpoint.retry)}</Fact>
        <Fact name="Timeout">{formatSpan(endpoint.timeout_ms)}</Fact>
        <Fact name="At once">{formatNoun(endpoint.concurrency, "request")}</Fact>
        <Fact name="Id">
          <CopyableMono text={endpoint.id} what="endpoint id" />
        </Fact>
        <Fact name="Created">
          <ExactTime iso={endpoint.created_at} />
        </Fact>
      </Facts>
    </Panel>
  );
}
