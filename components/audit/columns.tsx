import { listColumnHelper } from "#components/data-table/data-table.tsx";
import { RowLink } from "#components/data-table/row-link.tsx";
import { RelativeTime } from "#components/layout/time.tsx";
import { auditActionLabels, auditObjectLabels } from "#lib/audit/actions.ts";
import type { AuditEntry } from "#lib/audit/schema.ts";
import { auditObjectHref } from "#lib/audit/words.ts";
import { truncateMiddle } from "#lib/format.ts";
import { Changes } from "./changes.tsx";

const helper = listColumnHelper<AuditEntry>();

const object = helper.display({
  id: "object",
  header: "Object",
  meta: { phone: "lead", className: "sm:w-[24%] truncate" },
  cell: ({ row: { original: entry } }) => (
    <RowLink
      href={auditObjectHref(entry)}
      title={`${auditObjectLabels[entry.object.kind]} ${entry.object.name ?? entry.object.id}`}
    >
      {entry.object.name ?? truncateMiddle(entry.object.id, 28)}
    </RowLink>
  ),
});

const action = helper.display({
  id: "action",
  header: "What",
  meta: { phone: "second", className: "sm:w-[22%] truncate" },
  cell: ({ row: { original: entry } }) => auditActionLabels[entry.action],
});

const leadingAction = { ...action, meta: { ...action.meta, phone: "lead" as const } };

const actor = helper.display({
  id: "actor",
  header: "Who",
  meta: { phone: "second-end", className: "sm:w-[16%] truncate" },
  cell: ({ row: { original: entry } }) => (
    <span className="text-ink-2" title={entry.actor.kind === "api_key" ? "By API key" : undefined}>
      {entry.actor.name}
    </span>
  ),
});

const from = helper.display({
  id: "from",
  header: "From",
  meta: { phone: "hidden", className: "sm:w-[11%] sm:max-xl:hidden truncate" },
  cell: ({ row: { original: entry } }) => (
    <span className="text-ink-3" title={entry.from.user_agent ?? undefined}>
      {entry.from.address ?? ""}
    </span>
  ),
});

const changes = helper.display({
  id: "changes",
  header: "Changed",
  meta: { phone: "hidden", className: "truncate" },
  cell: ({ row: { original: entry } }) => <Changes entry={entry} />,
});

/** On a phone of an object's own page, where the second line has room. */
const secondChanges = { ...changes, meta: { ...changes.meta, phone: "second" as const } };

const at = helper.display({
  id: "at",
  header: "When",
  meta: { phone: "lead-end", className: "sm:w-28", sorted: "descending" },
  cell: ({ row: { original: entry } }) => <RelativeTime iso={entry.at} className="text-ink-2" />,
});

export const auditColumns = [object, action, actor, from, changes, at];

/** Of one object, on its own page. */
export const objectAuditColumns = [leadingAction, actor, secondChanges, at];
