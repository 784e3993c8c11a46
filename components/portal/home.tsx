"use client";

import { useQuery } from "@tanstack/react-query";
import { Plus, Webhook } from "lucide-react";
import Link from "next/link";
import { EmptyState, ErrorState, StaleNotice } from "#components/data-table/states.tsx";
import { EndpointStatusPill } from "#components/endpoints/status-pill.tsx";
import { useClockText } from "#components/layout/clock.tsx";
import { PageHeader } from "#components/layout/page-header.tsx";
import { useLiveInterval } from "#components/layout/preferences.ts";
import { RelativeTime } from "#components/layout/time.tsx";
import { ButtonLink } from "#components/ui/button.tsx";
import { withQuery } from "#lib/api/fetcher.ts";
import { endpointListOptions } from "#lib/endpoints/client.ts";
import { plainHealth, plainSummary } from "#lib/endpoints/plain-health.ts";
import type { Endpoint } from "#lib/endpoints/schema.ts";
import { formatCapped } from "#lib/format.ts";
import { homeFilters } from "./home-params.ts";
import { HomeSkeleton } from "./home-skeleton.tsx";
import { HealthWords, usePlainHealth } from "./plain-health.tsx";

/** Whether everything arrives, and what needs the owner first. */
export function PortalHome({ affiliateName }: { affiliateName: string }) {
  const query = useQuery({ ...endpointListOptions(homeFilters), refetchInterval: useLiveInterval() });
  const { data, error } = query;
  const retry = () => void query.refetch();
  if (!data) {
    return (
      <>
        <PageHeader title="Is everything arriving?" description={affiliateName} />
        {error ? (
          <ErrorState what="Your endpoints" error={error} onRetry={retry} busy={query.isFetching} />
        ) : (
          <HomeSkeleton />
        )}
      </>
    );
  }
  const endpoints = data.data;
  return (
    <>
      <Header endpoints={endpoints} affiliateName={affiliateName} />
      {error ? <StaleNotice error={error} onRetry={retry} busy={query.isFetching} /> : null}
      {endpoints.length === 0 ? <FirstEndpoint /> : null}
      <ul aria-label="Your endpoints, what needs you first" className="flex flex-col gap-3">
        {endpoints.map((endpoint) => (
          <li key={endpoint.id}>
            <HealthCard endpoint={endpoint} />
          </li>
        ))}
      </ul>
      {data.next_cursor === null ? null : (
        <p className="mt-4">
          <Link href="/portal/endpoints" className="underline underline-offset-2">
            All your endpoints
          </Link>
        </p>
      )}
    </>
  );
}

function Header({ endpoints, affiliateName }: { endpoints: Endpoint[]; affiliateName: string }) {
  const summary = useClockText((nowMs) =>
    plainSummary(endpoints.map((endpoint) => plainHealth(endpoint, nowMs))),
  );
  return (
    <PageHeader
      title={summary}
      description={affiliateName}
      actions={
        endpoints.length === 0 ? null : (
          <ButtonLink href="/portal/endpoints/new">
            <Plus aria-hidden />
            New endpoint
          </ButtonLink>
        )
      }
    />
  );
}

function FirstEndpoint() {
  return (
    <EmptyState
      icon={Webhook}
      title="Say where your events should go"
      action={
        <ButtonLink href="/portal/endpoints/new" tone="primary">
          Create your first endpoint
        </ButtonLink>
      }
    >
      <p>
        Paste the postback URL of your tracker, or the URL of a server of yours that takes webhooks. You see
        exactly what would be sent while you write it, and can send a test at once.
      </p>
      <p>
        <Link href="/portal/guide" className="underline underline-offset-2">
          How it works, and how to verify what comes
        </Link>
      </p>
    </EmptyState>
  );
}

function HealthCard({ endpoint }: { endpoint: Endpoint }) {
  const health = usePlainHealth(endpoint);
  const { activity } = endpoint;
  const page = `/portal/endpoints/${endpoint.id}`;
  return (
    <article className="flex flex-col gap-2 rounded-lg border border-line px-4 py-3">
      <div className="flex flex-wrap items-center gap-x-3 gap-y-1">
        <h2 className="min-w-0 font-semibold text-sm">
          <Link
            href={page}
            className="wrap-anywhere -my-1 inline-block py-1 underline-offset-2 hover:underline"
          >
            {endpoint.name}
          </Link>
        </h2>
        <EndpointStatusPill endpoint={endpoint} />
        {endpoint.health.last_success_at === null ? null : (
          <span className="text-ink-3 text-xs sm:ml-auto">
            last arrived <RelativeTime iso={endpoint.health.last_success_at} />
          </span>
        )}
      </div>
      <HealthWords health={health} />
      <p className="flex flex-wrap gap-x-4 gap-y-1 text-ink-2 empty:hidden">
        <Count
          count={activity?.dead_letters}
          words="given up on"
          href={withQuery("/portal/deliveries", { endpoint: endpoint.id, state: "dead_letter" })}
        />
        <Count count={activity?.backlog} words="waiting" href={`${page}#backlog`} />
        {health.needsOwner ? (
          <Link href={`${page}#test`} className="-my-1 py-1 underline underline-offset-2">
            Send a test
          </Link>
        ) : null}
      </p>
    </article>
  );
}

type CountProps = {
  count: { count: number; capped: boolean } | undefined;
  words: string;
  href: string;
};

function Count({ count, words, href }: CountProps) {
  if (!count || count.count === 0) return null;
  return (
    <Link href={href} prefetch={false} className="-my-1 py-1 underline underline-offset-2">
      {formatCapped(count)} {words}
    </Link>
  );
}
