"use client";

import { useQuery } from "@tanstack/react-query";
import { Pencil } from "lucide-react";
import Link from "next/link";
import { AuditPanel } from "#components/audit/audit-panel.tsx";
import { Performance } from "#components/charts/performance.tsx";
import { ErrorState, StaleNotice } from "#components/data-table/states.tsx";
import { useClockText } from "#components/layout/clock.tsx";
import { MayLink } from "#components/layout/may-link.tsx";
import { PageHeader } from "#components/layout/page-header.tsx";
import { useLiveInterval, useTimeZone } from "#components/layout/preferences.ts";
import { RecordSkeleton } from "#components/layout/record-skeleton.tsx";
import { ExactTime, RelativeTime } from "#components/layout/time.tsx";
import { RecoverAction } from "#components/requeues/recover-action.tsx";
import { Fact, Facts, Panel } from "#components/ui/panel.tsx";
import { withQuery } from "#lib/api/fetcher.ts";
import { endpointOptions } from "#lib/endpoints/client.ts";
import type { EndpointDetail } from "#lib/endpoints/schema.ts";
import { endpointCause, lastFailureWords, unmeasuredWords } from "#lib/endpoints/words.ts";
import { capitalize, formatCapped, formatCount, formatMs, formatNoun } from "#lib/format.ts";
import type { DeliveryState } from "#lib/vocabulary.ts";
import { backlogCount } from "./backlog-words.ts";
import { BreakerHistory } from "./breaker-history.tsx";
import { BreakerPanel } from "./breaker-panel.tsx";
import { ConfigurationPanel } from "./configuration-panel.tsx";
import { DeleteAction } from "./delete-action.tsx";
import { EndpointDeliveries } from "./endpoint-deliveries.tsx";
import { RenderWaiting } from "./render-waiting.tsx";
import { SecretPanel } from "./secret-panel.tsx";
import { SendTestPanel } from "./send-test-panel.tsx";
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
            <MayLink href={`/endpoints/${endpoint.id}/edit`} verb="endpoint.edit">
              <Pencil aria-hidden />
              Edit
            </MayLink>
            <DeleteAction endpoint={endpoint} />
          </>
        }
      />
      {error ? <StaleNotice error={error} onRetry={retry} busy={query.isFetching} /> : null}
      <Performance scope={{ endpointId: endpoint.id }} />
      <div className="grid items-start gap-4 lg:grid-cols-2">
        <div className="flex min-w-0 flex-col gap-4">
          <Health endpoint={endpoint} />
          <Backlog endpoint={endpoint} />
          <BreakerPanel endpoint={endpoint} />
        </div>
        <div className="flex min-w-0 flex-col gap-4">
          <ConfigurationPanel endpoint={endpoint} />
          <SecretPanel endpoint={endpoint} />
        </div>
      </div>
      <div className="mt-4">
        <SendTestPanel endpoint={endpoint} />
      </div>
      <EndpointDeliveries endpoint={endpoint} />
      {endpoint.breaker.changed_at === null ? null : <BreakerHistory endpoint={endpoint} />}
      <AuditPanel kind="endpoint" id={endpoint.id} />
    </>
  );
}

function Cause({ endpoint }: { endpoint: EndpointDetail }) {
  const timeZone = useTimeZone();
  return <p>{useClockText((nowMs) => endpointCause(endpoint, nowMs, timeZone))}</p>;
}

function Health({ endpoint }: { endpoint: EndpointDetail }) {
  const { health } = endpoint;
  const unmeasured = useClockText((nowMs) => capitalize(unmeasuredWords(health, nowMs)));
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
        <Fact name="Failures in a row">{formatCount(health.consecutive_failures)}</Fact>
        <Fact name="P50, P95, P99">
          {health.latency
            ? `${[health.latency.p50_ms, health.latency.p95_ms, health.latency.p99_ms].map(formatMs).join(", ")} of ${formatNoun(health.latency.samples, "attempt")} in 24 h`
            : unmeasured}
        </Fact>
        <Fact name="In flight">{formatNoun(health.in_flight, "request")}</Fact>
      </Facts>
    </Panel>
  );
}

function Backlog({ endpoint }: { endpoint: EndpointDetail }) {
  const { backlog } = endpoint;
  return (
    <Panel title="Backlog" id="backlog" aside={<RecoverAction endpoint={endpoint} />}>
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
        {backlog.blocked > 0 ? (
          <Fact name="Of them blocked">
            {formatCapped(backlogCount(backlog.blocked, backlog))}, behind an earlier one of their ordering
            key
          </Fact>
        ) : null}
        <Fact name="Oldest waiting">
          {backlog.oldest_waiting_at ? <RelativeTime iso={backlog.oldest_waiting_at} /> : "Nothing waits"}
        </Fact>
      </Facts>
      {endpoint.kind === "postback" ? <RenderWaiting endpoint={endpoint} /> : null}
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
