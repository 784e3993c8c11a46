"use client";

import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { ListPlus, Pencil, Webhook } from "lucide-react";
import Link from "next/link";
import { useQueryStates } from "nuqs";
import { AuditPanel } from "#components/audit/audit-panel.tsx";
import { DataTable, listColumnHelper } from "#components/data-table/data-table.tsx";
import { ListView } from "#components/data-table/list-view.tsx";
import { EmptyState, ErrorState, StaleNotice } from "#components/data-table/states.tsx";
import { endpointColumns } from "#components/endpoints/columns.tsx";
import { MayLink } from "#components/layout/may-link.tsx";
import { PageHeader } from "#components/layout/page-header.tsx";
import { useLiveInterval } from "#components/layout/preferences.ts";
import { RecordSkeleton } from "#components/layout/record-skeleton.tsx";
import { ExactTime } from "#components/layout/time.tsx";
import { CodeBlock } from "#components/ui/code-block.tsx";
import { Fact, Facts, Panel } from "#components/ui/panel.tsx";
import { withQuery } from "#lib/api/fetcher.ts";
import { endpointListOptions } from "#lib/endpoints/client.ts";
import { eventTypeOptions } from "#lib/event-types/client.ts";
import type { EventField, EventTypeDetail } from "#lib/event-types/schema.ts";
import { fieldKindLabels, invalidDataRuleLabels } from "#lib/vocabulary.ts";
import { DeprecateAction } from "./deprecate-action.tsx";
import { DeprecatedPill, FieldMarks } from "./field-marks.tsx";
import { eventTypeParams, subscriberFilters } from "./list-params.ts";

const trail = [{ href: "/event-types", label: "Event types" }];
const editPath = (name: string) => `/event-types/${encodeURIComponent(name)}/edit`;

export function EventTypeView({ name }: { name: string }) {
  const query = useQuery({ ...eventTypeOptions(name), refetchInterval: useLiveInterval() });
  const { data: type, error } = query;
  const retry = () => void query.refetch();
  if (!type) {
    return (
      <>
        <PageHeader title="Event type" trail={trail} />
        {error ? (
          <ErrorState what="The event type" error={error} onRetry={retry} busy={query.isFetching} />
        ) : (
          <RecordSkeleton />
        )}
      </>
    );
  }
  return (
    <>
      <PageHeader
        title={type.name}
        trail={trail}
        status={type.deprecated_at === null ? null : <DeprecatedPill />}
        description={type.description || "No description"}
        actions={
          <>
            <MayLink href={editPath(type.name)} verb="event_type.edit">
              <Pencil aria-hidden />
              Edit
            </MayLink>
            <DeprecateAction type={type} />
          </>
        }
      />
      {error ? <StaleNotice error={error} onRetry={retry} busy={query.isFetching} /> : null}
      <Fields type={type} />
      <div className="mt-6 grid items-start gap-4 lg:grid-cols-[minmax(0,1fr)_22rem]">
        <Panel title="Example data">
          <CodeBlock text={type.example_data} what="Example data" note="Made of the fields' examples." />
        </Panel>
        <Panel title="Details">
          <Facts>
            <Fact name="Happened">
              <Link href={withQuery("/events", { type: type.name })} className="underline underline-offset-2">
                Its events
              </Link>
              {", "}
              <Link
                href={withQuery("/deliveries", { type: type.name })}
                className="underline underline-offset-2"
              >
                their deliveries
              </Link>
            </Fact>
            <Fact name="Invalid data">{invalidDataRuleLabels[type.invalid_data]}</Fact>
            {type.deprecated_at === null ? null : (
              <Fact name="Deprecated">
                <ExactTime iso={type.deprecated_at} />
              </Fact>
            )}
            <Fact name="Changed">
              <ExactTime iso={type.updated_at} />
            </Fact>
            <Fact name="Created">
              <ExactTime iso={type.created_at} />
            </Fact>
          </Facts>
        </Panel>
      </div>
      <Subscribers name={type.name} />
      <AuditPanel kind="event_type" id={type.name} />
    </>
  );
}

const helper = listColumnHelper<EventField>();

const fieldColumns = [
  helper.display({
    id: "name",
    header: "Field",
    meta: { phone: "lead", className: "sm:w-[18%]" },
    cell: ({ row: { original: field } }) => (
      <code className="font-medium font-mono text-xs" title={field.name}>
        {field.name}
      </code>
    ),
  }),
  helper.display({
    id: "kind",
    header: "Kind",
    meta: { phone: "lead-end", className: "sm:w-36" },
    cell: ({ row: { original: field } }) => fieldKindLabels[field.kind],
  }),
  helper.display({
    id: "marks",
    header: "Marks",
    meta: { phone: "second-end", className: "sm:w-72" },
    cell: ({ row: { original: field } }) => <FieldMarks field={field} />,
  }),
  helper.display({
    id: "example",
    header: "Example",
    meta: { phone: "second", className: "truncate" },
    cell: ({ row: { original: field } }) => (
      <code className="font-mono text-xs" title={field.example}>
        {field.example}
      </code>
    ),
  }),
  helper.display({
    id: "description",
    header: "What it says",
    meta: { phone: "hidden", className: "sm:max-lg:hidden" },
    cell: ({ row: { original: field } }) => (
      <span className="text-ink-2" title={field.description}>
        {field.description}
      </span>
    ),
  }),
];

function Fields({ type }: { type: EventTypeDetail }) {
  return (
    <section aria-labelledby="fields">
      <h2 id="fields" className="mb-2 font-semibold text-sm">
        Fields
      </h2>
      {type.fields.length === 0 ? (
        <EmptyState
          icon={ListPlus}
          title="No fields yet"
          action={
            <MayLink href={editPath(type.name)} verb="event_type.edit">
              Add fields
            </MayLink>
          }
        >
          <p>Any data are accepted. Fields say what this type's events hold, and what is checked in them.</p>
        </EmptyState>
      ) : (
        <DataTable
          caption={`Fields of ${type.name}`}
          columns={fieldColumns}
          rows={type.fields}
          rowKey={({ name }) => name}
        />
      )}
    </section>
  );
}

function Subscribers({ name }: { name: string }) {
  const [params, setParams] = useQueryStates(eventTypeParams, { history: "push" });
  const query = useQuery({
    ...endpointListOptions(subscriberFilters(name, params)),
    refetchInterval: useLiveInterval(),
    placeholderData: keepPreviousData,
  });
  return (
    <section aria-labelledby="subscribers" className="mt-6">
      <h2 id="subscribers" className="mb-2 font-semibold text-sm">
        Endpoints that get it
      </h2>
      <ListView
        caption={`Endpoints that get ${name}, newest first`}
        noun="endpoints"
        query={query}
        columns={endpointColumns}
        rowKey={({ id }) => id}
        cursor={params.cursor}
        onCursor={(cursor) => void setParams({ cursor })}
        empty={
          <EmptyState
            icon={Webhook}
            title="No endpoint gets it"
            action={
              <MayLink href="/endpoints/new" verb="endpoint.create">
                Create an endpoint
              </MayLink>
            }
          >
            <p>Events of this type are accepted and kept, and sent to nobody.</p>
          </EmptyState>
        }
      />
    </section>
  );
}
