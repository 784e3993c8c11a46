"use client";

import { useQuery } from "@tanstack/react-query";
import { Inbox, Send, Webhook } from "lucide-react";
import Link from "next/link";
import { type ReactNode, useId, useMemo } from "react";
import { AuditPanel } from "#components/audit/audit-panel.tsx";
import { Performance } from "#components/charts/performance.tsx";
import { ListView } from "#components/data-table/list-view.tsx";
import { EmptyState, ErrorState, StaleNotice } from "#components/data-table/states.tsx";
import { deliveryColumns } from "#components/deliveries/columns.tsx";
import { affiliateEndpointColumns } from "#components/endpoints/columns.tsx";
import { affiliateEventColumns } from "#components/events/columns.tsx";
import { PageHeader } from "#components/layout/page-header.tsx";
import { useLiveInterval } from "#components/layout/preferences.ts";
import { RecordSkeleton } from "#components/layout/record-skeleton.tsx";
import { ExactTime } from "#components/layout/time.tsx";
import { ButtonLink } from "#components/ui/button.tsx";
import { CopyableMono } from "#components/ui/mono.tsx";
import { Fact, Facts, Panel } from "#components/ui/panel.tsx";
import { affiliateOptions } from "#lib/affiliates/client.ts";
import type { Affiliate } from "#lib/affiliates/schema.ts";
import { withQuery } from "#lib/api/fetcher.ts";
import { deliveryListOptions } from "#lib/deliveries/client.ts";
import { endpointListOptions } from "#lib/endpoints/client.ts";
import { eventListOptions } from "#lib/events/client.ts";
import { formatCapped, formatNoun } from "#lib/format.ts";
import { FailingEndpoints } from "./failing-endpoints.tsx";
import { affiliateDeliveries, affiliateEndpoints, affiliateEvents } from "./list-params.ts";
import { RenameAffiliate } from "./rename-affiliate.tsx";

const trail = [{ href: "/affiliates", label: "Affiliates" }];

export function AffiliateView({ affiliateKey }: { affiliateKey: string }) {
  const query = useQuery({ ...affiliateOptions(affiliateKey), refetchInterval: useLiveInterval() });
  const { data: affiliate, error } = query;
  const retry = () => void query.refetch();
  if (!affiliate) {
    return (
      <>
        <PageHeader title="Affiliate" trail={trail} />
        {error ? (
          <ErrorState what="The affiliate" error={error} onRetry={retry} busy={query.isFetching} />
        ) : (
          <RecordSkeleton />
        )}
      </>
    );
  }
  const { key } = affiliate;
  return (
    <>
      <PageHeader
        title={affiliate.name}
        trail={trail}
        actions={
          <>
            <RenameAffiliate affiliate={affiliate} />
            <ButtonLink href={withQuery("/endpoints/new", { affiliate: key })} tone="primary">
              Create an endpoint
            </ButtonLink>
          </>
        }
      />
      {error ? <StaleNotice error={error} onRetry={retry} busy={query.isFetching} /> : null}
      <Performance scope={{ affiliate: key }} />
      <About affiliate={affiliate} />
      <Endpoints affiliateKey={key} />
      <Deliveries affiliateKey={key} />
      <Events affiliateKey={key} />
      <AuditPanel kind="affiliate" id={affiliate.id} />
    </>
  );
}

function About({ affiliate }: { affiliate: Affiliate }) {
  return (
    <Panel title="About">
      <Facts>
        <Fact name="Key">
          <CopyableMono text={affiliate.key} what="affiliate key" />
        </Fact>
        <Fact name="Endpoints">{formatNoun(affiliate.endpoint_count, "endpoint")}</Fact>
        <Fact name="Failing">
          <FailingEndpoints affiliate={affiliate} />
        </Fact>
        {affiliate.activity ? (
          <Fact name="Events, 24 h">{formatCapped(affiliate.activity.events_last_day)}</Fact>
        ) : null}
        <Fact name="Added">
          <ExactTime iso={affiliate.created_at} />
        </Fact>
      </Facts>
    </Panel>
  );
}

type SectionProps = { title: string; all: { href: string; label: string }; children: ReactNode };

function Section({ title, all, children }: SectionProps) {
  const headingId = useId();
  return (
    <section aria-labelledby={headingId} className="mt-6">
      <div className="mb-2 flex items-baseline justify-between">
        <h2 id={headingId} className="font-semibold text-sm">
          {title}
        </h2>
        <Link href={all.href} className="text-ink-2 underline underline-offset-2">
          {all.label}
        </Link>
      </div>
      {children}
    </section>
  );
}

function Endpoints({ affiliateKey }: { affiliateKey: string }) {
  const query = useQuery({
    ...endpointListOptions(affiliateEndpoints(affiliateKey)),
    refetchInterval: useLiveInterval(),
  });
  const href = withQuery("/endpoints", { view: "all", affiliate: affiliateKey });
  return (
    <Section title="Endpoints" all={{ href, label: "All its endpoints" }}>
      <ListView
        caption="Endpoints of this affiliate, the worst first"
        noun="endpoints"
        query={query}
        columns={affiliateEndpointColumns}
        rowKey={({ id }) => id}
        cursor={null}
        empty={
          <EmptyState icon={Webhook} title="It has no endpoint yet">
            <p>An endpoint is a URL where it wants its events. Create the first one for it above.</p>
          </EmptyState>
        }
      />
    </Section>
  );
}

function Deliveries({ affiliateKey }: { affiliateKey: string }) {
  const columns = useMemo(() => deliveryColumns({ affiliate: affiliateKey }), [affiliateKey]);
  const query = useQuery({
    ...deliveryListOptions(affiliateDeliveries(affiliateKey)),
    refetchInterval: useLiveInterval(),
  });
  const href = withQuery("/deliveries", { affiliate: affiliateKey });
  return (
    <Section title="Latest deliveries" all={{ href, label: "All its deliveries" }}>
      <ListView
        caption="Latest deliveries of this affiliate, newest first"
        noun="deliveries"
        query={query}
        columns={columns}
        rowKey={({ id }) => id}
        cursor={null}
        rowKeys={false}
        empty={
          <EmptyState icon={Send} title="Nothing was sent to it yet">
            <p>Once it has an endpoint, each of its events becomes a delivery, which will be here.</p>
          </EmptyState>
        }
      />
    </Section>
  );
}

function Events({ affiliateKey }: { affiliateKey: string }) {
  const query = useQuery({
    ...eventListOptions(affiliateEvents(affiliateKey)),
    refetchInterval: useLiveInterval(),
  });
  const href = withQuery("/events", { affiliate: affiliateKey });
  return (
    <Section title="Latest events" all={{ href, label: "All its events" }}>
      <ListView
        caption="Latest events of this affiliate, newest first"
        noun="events"
        query={query}
        columns={affiliateEventColumns}
        rowKey={({ id }) => id}
        cursor={null}
        rowKeys={false}
        empty={
          <EmptyState icon={Inbox} title="Nothing was published for it yet">
            <p>
              Publish an event that names <code className="font-mono text-ink text-xs">{affiliateKey}</code>{" "}
              as its affiliate.
            </p>
          </EmptyState>
        }
      />
    </Section>
  );
}
