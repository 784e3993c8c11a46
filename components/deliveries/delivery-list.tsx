"use client";

import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { Copy, Send } from "lucide-react";
import { useQueryStates } from "nuqs";
import { useMemo } from "react";
import { ListView } from "#components/data-table/list-view.tsx";
import type { Chosen } from "#components/data-table/selection.ts";
import { EmptyState } from "#components/data-table/states.tsx";
import { MayLink } from "#components/layout/may-link.tsx";
import { useLiveInterval } from "#components/layout/preferences.ts";
import { useIsAffiliate, usePlace } from "#components/layout/reader.tsx";
import { Button } from "#components/ui/button.tsx";
import { copyText } from "#components/ui/copy-button.tsx";
import { deliveryCountOptions, deliveryListOptions } from "#lib/deliveries/client.ts";
import type { Delivery } from "#lib/deliveries/schema.ts";
import { formatNoun } from "#lib/format.ts";
import { deliveryColumns } from "./columns.tsx";
import { DeliveryFilterBar, useActiveFilters } from "./delivery-filters.tsx";
import { deliveryFilterParams, deliveryFilters, deliveryNarrowing, deliveryParams } from "./list-params.ts";
import { ValueSearch } from "./value-search.tsx";

const noFilters = Object.fromEntries(Object.keys(deliveryFilterParams).map((name) => [name, null]));

export function DeliveryList() {
  const [params, setParams] = useQueryStates(deliveryParams, { history: "push" });
  const query = useQuery({
    ...deliveryListOptions(deliveryFilters(params)),
    refetchInterval: useLiveInterval(),
    placeholderData: keepPreviousData,
  });
  const filters = useActiveFilters(params);
  const given = deliveryNarrowing(params);
  const matching = useQuery({
    ...deliveryCountOptions(given),
    enabled: filters.length > 0,
    refetchInterval: useLiveInterval(),
  });
  const columns = useMemo(() => deliveryColumns(deliveryNarrowing(params)), [params]);
  const clear = () => void setParams({ ...noFilters, cursor: null });
  return (
    <>
      {useIsAffiliate() ? <ValueSearch /> : null}
      <DeliveryFilterBar
        params={params}
        active={filters.length}
        onChange={(change) => void setParams({ ...change, cursor: null })}
        onClear={clear}
      />
      <ListView
        caption="Deliveries, newest first"
        noun="deliveries"
        query={query}
        columns={columns}
        rowKey={({ id }) => id}
        rowName={({ id }) => `delivery ${id}`}
        filters={filters}
        onClearFilters={clear}
        cursor={params.cursor}
        onCursor={(cursor) => void setParams({ cursor })}
        matching={matching}
        actions={(chosen) => <ChosenActions chosen={chosen} />}
        empty={<NoDeliveriesYet />}
      />
    </>
  );
}

function ChosenActions({ chosen: { rows, allMatching } }: { chosen: Chosen<Delivery> }) {
  const ids = rows.map(({ id }) => id).join("\n");
  return (
    <Button
      tone="quiet"
      disabledReason={allMatching ? "Only of the rows on this page." : null}
      onClick={() => void copyText(ids, `${formatNoun(rows.length, "id")} copied.`)}
    >
      <Copy aria-hidden />
      Copy ids
    </Button>
  );
}

function NoDeliveriesYet() {
  const place = usePlace();
  const isOwner = useIsAffiliate();
  return (
    <EmptyState
      icon={Send}
      title="No deliveries yet"
      action={
        <MayLink href={place("/endpoints/new")} verb="endpoint.create">
          Create an endpoint
        </MayLink>
      }
    >
      <p>
        A delivery is one event on its way to one endpoint.{" "}
        {isOwner
          ? "Create an endpoint, and every event that is sent to it will be here: "
          : "Create an endpoint, then publish an event for its affiliate: "}
        every attempt, its answer and what happens next.
      </p>
    </EmptyState>
  );
}
