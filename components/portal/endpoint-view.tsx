"use client";

import { useQuery } from "@tanstack/react-query";
import { Pencil } from "lucide-react";
import Link from "next/link";
import { ErrorState, StaleNotice } from "#components/data-table/states.tsx";
import { backlogCount } from "#components/endpoints/backlog-words.ts";
import { ConfigurationPanel } from "#components/endpoints/configuration-panel.tsx";
import { DeleteAction } from "#components/endpoints/delete-action.tsx";
import { RenderWaiting } from "#components/endpoints/render-waiting.tsx";
import { SecretPanel } from "#components/endpoints/secret-panel.tsx";
import { SendTestPanel } from "#components/endpoints/send-test-panel.tsx";
import { StatusAction } from "#components/endpoints/status-actions.tsx";
import { EndpointStatusPill } from "#components/endpoints/status-pill.tsx";
import { useClockText } from "#components/layout/clock.tsx";
import { PageHeader } from "#components/layout/page-header.tsx";
import { useLiveInterval, useTimeZone } from "#components/layout/preferences.ts";
import { RecordSkeleton } from "#components/layout/record-skeleton.tsx";
import { ExactTime, RelativeTime } from "#components/layout/time.tsx";
import { ButtonLink } from "#components/ui/button.tsx";
import { Fact, Facts, Panel } from "#components/ui/panel.tsx";
import { withQuery } from "#lib/api/fetcher.ts";
import { endpointOptions } from "#lib/endpoints/client.ts";
import { toOwner } from "#lib/endpoints/owner-words.ts";
import type { EndpointDetail } from "#lib/endpoints/schema.ts";
import { endpointCause, lastFailureWords, unmeasuredWords } from "#lib/endpoints/words.ts";
import { capitalize, formatCapped, formatMs, formatNoun } from "#lib/format.ts";
import type { DeliveryState } from "#lib/vocabulary.ts";
import { PendingChange } from "./pending-change.tsx";
import { HealthWords, usePlainHealth } from "./plain-health.tsx";

const trail = [{ href: "/portal/endpoints", label: "Endpoints" }];

/** One endpoint, for its owner: how it does, what was set, its secrets, and a test. */
export function PortalEndpointView({ id }: { id: string }) {
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
        actions={
          <>
            <StatusAction endpoint={endpoint} />
            <ButtonLink href={`/portal/endpoints/${endpoint.id}/edit`}>
              <Pencil aria-hidden />
              Edit
            </ButtonLink>
            <DeleteAction endpoint={endpoint} />
          </>
        }
      />
      {error ? <StaleNotice error={error} onRetry={retry} busy={query.isFetching} /> : null}
      <PendingChange endpointId={endpoint.id} change={endpoint.change} />
      <div className="grid items-start gap-4 lg:grid-cols-2">
        <div className="flex min-w-0 flex-col gap-4">
          <Health endpoint={endpoint} />
          <Waiting endpoint={endpoint} />
          <SecretPanel endpoint={endpoint} />
        </div>
        <ConfigurationPanel endpoint={endpoint} />
      </div>
      <p className="mt-4">
        <Link
          href={`/portal/endpoints/${endpoint.id}/history`}
          prefetch={false}
          className="underline underline-offset-2"
        >
          Its latency and success over time
        </Link>
      </p>
      <div id="test" className="mt-4 scroll-mt-4">
        <SendTestPanel endpoint={endpoint} />
      </div>
    </>
  );
}

function Health({ endpoint }: { endpoint: EndpointDetail }) {
  const { health } = endpoint;
  const timeZone = useTimeZone();
  const cause = useClockText((nowMs) => toOwner(endpointCause(endpoint, nowMs, timeZone)));
  const unmeasured = useClockText((nowMs) => capitalize(unmeasuredWords(health, nowMs)));
  return (
    <Panel title="Is everything arriving?">
      <div className="flex flex-col gap-4">
        <HealthWords health={usePlainHealth(endpoint)} />
        <Facts>
          <Fact name="In detail">{cause}</Fact>
          <Fact name="Last success">
            {health.last_success_at ? <ExactTime iso={health.last_success_at} /> : "Never"}
          </Fact>
          <Fact name="Last failure">
            {health.last_failure_at ? (
              <>
                <ExactTime iso={health.last_failure_at} />
                <br />
                <span className="text-ink-2">{toOwner(lastFailureWords(endpoint) ?? "")}</span>
              </>
            ) : (
              "Never"
            )}
          </Fact>
          <Fact name="Time to answer">
            {health.latency
              ? `Half within ${formatMs(health.latency.p50_ms)}, 95 % within ${formatMs(health.latency.p95_ms)}, of ${formatNoun(health.latency.samples, "request")} in 24 h`
              : unmeasured}
          </Fact>
        </Facts>
      </div>
    </Panel>
  );
}

function Waiting({ endpoint }: { endpoint: EndpointDetail }) {
  const { backlog } = endpoint;
  return (
    <Panel
      title="What waits"
      id="backlog"
      aside={
        <Link
          href={withQuery("/portal/deliveries", { endpoint: endpoint.id })}
          prefetch={false}
          className="-my-1 py-1 text-ink-2 underline underline-offset-2"
        >
          All its deliveries
        </Link>
      }
    >
      <Facts>
        <Count name="Waiting" state="pending" count={backlog.waiting} endpoint={endpoint} />
        <Count name="Awaiting retry" state="failed" count={backlog.awaiting_retry} endpoint={endpoint} />
        <Count name="Given up on" state="dead_letter" count={backlog.dead_letters} endpoint={endpoint} />
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

type CountProps = { name: string; state: DeliveryState; count: number; endpoint: EndpointDetail };

function Count({ name, state, count, endpoint }: CountProps) {
  return (
    <Fact name={name}>
      <Link
        href={withQuery("/portal/deliveries", { state, endpoint: endpoint.id })}
        prefetch={false}
        className="underline underline-offset-2"
      >
        {formatCapped(backlogCount(count, endpoint.backlog))}
        <span className="sr-only"> deliveries: {name}</span>
      </Link>
    </Fact>
  );
}
