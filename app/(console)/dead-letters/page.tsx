import { HydrationBoundary } from "@tanstack/react-query";
import type { Metadata } from "next";
import type { SearchParams } from "nuqs/server";
import { DeadLettersView } from "#components/dead-letters/dead-letters-view.tsx";
import {
  deadLetterFilters,
  findingFilters,
  groupFilters,
  loadDeadLetterParams,
} from "#components/dead-letters/list-params.ts";
import { PageHeader } from "#components/layout/page-header.tsx";
import { prefetch } from "#lib/api/prefetch.ts";
import { staffActor } from "#lib/auth/page-session.ts";
import {
  deadLetterFindingsOptions,
  deadLetterGroupsOptions,
  deadLetterListOptions,
} from "#lib/dead-letters/client.ts";
import {
  deadLetterFilters as deadLetterFiltersSchema,
  deadLetterFindingsQuery,
  deadLetterListQuery,
} from "#lib/dead-letters/schema.ts";
import { groupDeadLetters, listDeadLetters, listFindings } from "#lib/dead-letters/service.ts";

export const metadata: Metadata = { title: "Dead letters" };

export default async function Page({ searchParams }: { searchParams: Promise<SearchParams> }) {
  const actor = await staffActor();
  const params = await loadDeadLetterParams(searchParams);
  const rows = deadLetterFilters(params);
  const groups = groupFilters(params);
  const findings = findingFilters(params);
  const state = await prefetch(
    {
      options: deadLetterFindingsOptions(findings),
      read: async () => listFindings(actor, deadLetterFindingsQuery.parse(findings)),
    },
    {
      options: deadLetterGroupsOptions(groups),
      read: async () => groupDeadLetters(actor, deadLetterFiltersSchema.parse(groups)),
    },
    {
      options: deadLetterListOptions(rows),
      read: async () => listDeadLetters(actor, deadLetterListQuery.parse(rows)),
    },
  );
  return (
    <HydrationBoundary state={state}>
      <PageHeader
        title="Dead letters"
        description="Deliveries that were given up on: what they have in common, what to do about it, and each of them."
      />
      <DeadLettersView />
    </HydrationBoundary>
  );
}
