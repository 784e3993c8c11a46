import { csvLine } from "#lib/api/csv.ts";
import type { Page } from "#lib/api/paging.ts";
import type { Actor } from "#lib/auth/actor.ts";
import { authorize } from "#lib/auth/permissions.ts";
import { appDatabase } from "#lib/db/app.ts";
import { maxExportedEntries } from "./limits.ts";
import { selectAuditEntries } from "./queries.ts";
import type { AuditEntry, AuditFilters, AuditListQuery } from "./schema.ts";

const entriesPerRead = 500;

/** One page of the audit log, latest first. */
export async function listAuditEntries(actor: Actor, query: AuditListQuery): Promise<Page<AuditEntry>> {
  authorize(actor, "audit.read");
  return selectAuditEntries(appDatabase().orm, query);
}

/**
 * The newest 10,000 entries for the filters as CSV, in pieces, read page by page. What is wrong with the first page
 * rejects before anything is sent.
 */
export async function exportAuditLog(actor: Actor, filters: AuditFilters): Promise<AsyncIterable<string>> {
  authorize(actor, "audit.read");
  const { orm } = appDatabase();
  const read = (cursor?: string) =>
    selectAuditEntries(orm, { ...filters, limit: entriesPerRead, ...(cursor ? { cursor } : {}) });
  const first = await read();
  return (async function* () {
    yield csvLine(csvColumns.map(({ name }) => name));
    let page = first;
    for (let entries = 0; ; ) {
      yield page.data.map((entry) => csvLine(csvColumns.map(({ of }) => of(entry)))).join("");
      entries += page.data.length;
      if (page.next_cursor === null || entries >= maxExportedEntries) return;
      page = await read(page.next_cursor);
    }
  })();
}

const csvColumns: { name: string; of: (entry: AuditEntry) => string | null }[] = [
  { name: "id", of: ({ id }) => id },
  { name: "at", of: ({ at }) => at },
  { name: "actor_kind", of: ({ actor }) => actor.kind },
  { name: "actor_id", of: ({ actor }) => actor.id },
  { name: "actor_name", of: ({ actor }) => actor.name },
  { name: "address", of: ({ from }) => from.address },
  { name: "user_agent", of: ({ from }) => from.user_agent },
  { name: "action", of: ({ action }) => action },
  { name: "object_kind", of: ({ object }) => object.kind },
  { name: "object_id", of: ({ object }) => object.id },
  { name: "object_name", of: ({ object }) => object.name },
  { name: "affiliate", of: ({ affiliate }) => affiliate?.key ?? null },
  { name: "before", of: ({ before }) => before && JSON.stringify(before) },
  { name: "after", of: ({ after }) => after && JSON.stringify(after) },
];
