"use client";

import { useQuery } from "@tanstack/react-query";
import { Send } from "lucide-react";
import Link from "next/link";
import { useMemo } from "react";
import { ListView } from "#components/data-table/list-view.tsx";
import { EmptyState } from "#components/data-table/states.tsx";
import { endpointDeliveryColumns } from "#components/deliveries/columns.tsx";
import { useLiveInterval } from "#components/layout/preferences.ts";
import { withQuery } from "#lib/api/fetcher.ts";
import { deliveryListOptions } from "#lib/deliveries/client.ts";
import type { EndpointDetail } from "#lib/endpoints/schema.ts";
import { latestDeliveries } from "./latest-deliveries.ts";

export function EndpointDeliveries({ endpoint }: { endpoint: EndpointDetail }) {
  const query = useQuery({
    ...deliveryListOptions(latestDeliveries(endpoint.id)),
    refetchInterval: useLiveInterval(),
  });
  const columns = useMemo(() => endpointDeliveryColumns(endpoint.id), [endpoint.id]);
  return (
    <section aria-labelledby="latest-deliveries" className="mt-6">
      <div className="mb-2 flex items-baseline justify-between">
        <h2 id="latest-deliveries" className="font-semibold text-sm">
          Latest deliveries
        </h2>
        <Link
          href={withQuery("/deliveries", { endpoint: endpoint.id })}
          className="text-ink-2 underline underline-offset-2"
        >
          All its deliveries
        </Link>
      </div>
      <ListView
        caption="Latest deliveries of this endpoint, newest first"
        noun="deliveries"
        query={query}
        columns={columns}
        rowKey={({ id }) => id}
        cursor={null}
        empty={
          <EmptyState icon={Send} title="Nothing was sent to it yet">
            <p>
              Publish an event for the affiliate{" "}
              <code className="font-mono text-ink text-xs">{endpoint.affiliate.key}</code> and its delivery to
              this endpoint will be here.
            </p>
          </EmptyState>
        }
      />
    </section>
  );
}
