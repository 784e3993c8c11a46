import { selectOpenAlerts } from "#lib/alerts/queries.ts";
import { csvLine } from "#lib/api/csv.ts";
import type { Page } from "#lib/api/paging.ts";
import type { Actor } from "#lib/auth/actor.ts";
import { authorize } from "#lib/auth/permissions.ts";
import { appDatabase } from "#lib/db/app.ts";
import type { Delivery } from "#lib/deliveries/schema.ts";
import { maxExportedDeadLetters } from "./limits.ts";
import { selectDeadLetterGroups, selectDeadLetters, selectLookedAt } from "./queries.ts";
import type {
  DeadLetterFilters,
  DeadLetterFindings,
  DeadLetterFindingsQuery,
  DeadLetterGroups,
  DeadLetterListQuery,
} from "./schema.ts";

const lettersPerRead = 1_000;

/** One page of dead letters, given up latest first. */
export async function listDeadLetters(actor: Actor, query: DeadLetterListQuery): Promise<Page<Delivery>> {
  authorize(actor, "delivery.read");
  return selectDeadLetters(appDatabase().orm, { ...query, scope: actor.affiliateId });
}

/** The largest groups by endpoint and answer. */
export async function groupDeadLetters(actor: Actor, query: DeadLetterFilters): Promise<DeadLetterGroups> {
  authorize(actor, "delivery.read");
  return selectDeadLetterGroups(appDatabase().orm, { ...query, scope: actor.affiliateId });
}

/** What dead letters showed when a worker last looked, the most letters first; at most 200. */
export async function listFindings(
  actor: Actor,
  query: DeadLetterFindingsQuery,
): Promise<DeadLetterFindings> {
  authorize(actor, "delivery.read");
  const { orm } = appDatabase();
  const [open, lookedAt] = await Promise.all([
    selectOpenAlerts(orm, { ...query, scope: actor.affiliateId }),
    selectLookedAt(orm),
  ]);
  return { ...open, looked_at: lookedAt };
}

/**
 * The newest 100,000 dead letters for the filters as CSV, in pieces, read page by page. It holds nothing of the events'
 * data. What is wrong with the first page rejects before anything is sent.
 */
export async function exportDeadLetters(
  actor: Actor,
  filters: DeadLetterFilters,
): Promise<AsyncIterable<string>> {
  authorize(actor, "delivery.read");
  const { orm } = appDatabase();
  const read = (cursor?: string) =>
    selectDeadLetters(orm, {
      ...filters,
      scope: actor.affiliateId,
      limit: lettersPerRead,
      ...(cursor ? { cursor } : {}),
    });
  const first = await read();
  return (async function* () {
    yield csvLine(csvColumns.map(({ name }) => name));
    let page = first;
    for (let written = 0; ; ) {
      yield page.data.map((letter) => csvLine(csvColumns.map(({ of }) => of(letter)))).join("");
      written += lettersPerRead;
      if (page.next_cursor === null || written >= maxExportedDeadLetters) return;
      page = await read(page.next_cursor);
    }
  })();
}

const csvColumns: { name: string; of: (letter: Delivery) => string | null }[] = [
  { name: "id", of: ({ id }) => id },
  { name: "ended_at", of: ({ ended_at }) => ended_at },
  { name: "reason", of: ({ reason }) => reason },
  { name: "last_status", of: ({ last_status }) => (last_status === null ? null : String(last_status)) },
  { name: "attempts", of: ({ attempts_charged }) => String(attempts_charged) },
  { name: "event_id", of: ({ event_id }) => event_id },
  { name: "event_type", of: ({ event_type }) => event_type },
  { name: "endpoint_id", of: ({ endpoint }) => endpoint.id },
  { name: "endpoint_name", of: ({ endpoint }) => endpoint.name },
  { name: "affiliate", of: ({ affiliate }) => affiliate.key },
  { name: "created_at", of: ({ created_at }) => created_at },
];
