"use client";

import { useQuery } from "@tanstack/react-query";
import { BookOpen, ChevronRight } from "lucide-react";
import { EmptyState, ErrorState, TableSkeleton } from "#components/data-table/states.tsx";
import { macroOptions } from "#components/template-editor/macros.ts";
import { eventTypeListOptions } from "#lib/event-types/client.ts";
import type { EventType } from "#lib/event-types/schema.ts";
import { formatNoun } from "#lib/format.ts";
import { fieldKindLabels } from "#lib/vocabulary.ts";
import { catalogueFilters } from "./params.ts";
import { Code, GuideTable } from "./table.tsx";

/** Every event type with its fields, each of which is a macro. */
export function GuideCatalogue() {
  const query = useQuery(eventTypeListOptions(catalogueFilters));
  const { data, error } = query;
  if (!data) {
    return error ? (
      <ErrorState
        what="The catalogue"
        error={error}
        onRetry={() => void query.refetch()}
        busy={query.isFetching}
      />
    ) : (
      <TableSkeleton rows={6} />
    );
  }
  const types = data.data.filter(({ deprecated_at }) => deprecated_at === null);
  if (types.length === 0) {
    return (
      <EmptyState icon={BookOpen} title="The catalogue is empty">
        <p>The types of events that you can be sent will be here once the operators have described them.</p>
      </EmptyState>
    );
  }
  return (
    <div className="flex flex-col gap-2">
      {types.map((type, place) => (
        <TypeFields key={type.name} type={type} isOpen={place === 0} />
      ))}
      {data.next_cursor === null ? null : (
        <p className="text-ink-2">There are more: the form of an endpoint lists them all.</p>
      )}
    </div>
  );
}

function TypeFields({ type, isOpen }: { type: EventType; isOpen: boolean }) {
  return (
    <details open={isOpen} className="group rounded-lg border border-line">
      <summary className="flex min-h-10 list-none flex-wrap items-center gap-x-2 rounded-lg px-3 py-1.5 hover:bg-hover">
        <ChevronRight aria-hidden className="size-4 text-ink-3 transition-transform group-open:rotate-90" />
        <span className="font-medium">{type.name}</span>
        <span className="text-ink-3 text-xs">{formatNoun(type.fields.length, "field")}</span>
      </summary>
      <div className="flex flex-col gap-3 border-line border-t p-3">
        {type.description === "" ? null : <p className="text-ink-2">{type.description}</p>}
        {type.fields.length === 0 ? (
          <p className="text-ink-2">No fields are described.</p>
        ) : (
          <GuideTable
            caption={`Fields of ${type.name}`}
            columns={["Macro", "Meaning", "Kind", "Example"]}
            rows={type.fields.map(({ name, description, kind, example, required }) => ({
              key: name,
              cells: [
                <Code key="name">{`{${name}}`}</Code>,
                `${description}${required ? " (always there)" : ""}`,
                fieldKindLabels[kind],
                <Code key="example">{example}</Code>,
              ],
            }))}
          />
        )}
      </div>
    </details>
  );
}

const ownMacros = macroOptions([], []);

/** What every event has, beside its fields. */
export function OwnMacros() {
  return (
    <GuideTable
      caption="Macros of every event"
      columns={["Macro", "Meaning", "Example"]}
      rows={ownMacros.map(({ name, description, example }) => ({
        key: name,
        cells: [<Code key="name">{`{${name}}`}</Code>, description, <Code key="example">{example}</Code>],
      }))}
    />
  );
}
