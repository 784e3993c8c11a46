"use client";

import { useState } from "react";
import { ExactTime } from "#components/layout/time.tsx";
import { Dialog } from "#components/ui/lazy-dialog.tsx";
import { auditActionLabels } from "#lib/audit/actions.ts";
import type { AuditEntry } from "#lib/audit/schema.ts";
import { type AuditChange, auditChanges, changedFieldsWords } from "#lib/audit/words.ts";

/** The names of what an entry changed; they open the values, before and after. */
export function Changes({ entry }: { entry: AuditEntry }) {
  const [open, setOpen] = useState(false);
  const changes = auditChanges(entry);
  if (changes.length === 0) return <span className="text-ink-3">Nothing else</span>;
  return (
    <>
      <button
        type="button"
        onClick={() => setOpen(true)}
        aria-haspopup="dialog"
        className="h-6 max-w-full truncate font-mono text-ink-2 text-xs underline decoration-dotted underline-offset-2 hover:text-ink"
      >
        <span className="sr-only">Show </span>
        {changedFieldsWords(changes)}
      </button>
      <Dialog
        open={open}
        onOpenChange={setOpen}
        title={auditActionLabels[entry.action]}
        description={
          <>
            By {entry.actor.name}
            {entry.from.address === null ? "" : ` from ${entry.from.address}`}, <ExactTime iso={entry.at} />
          </>
        }
        className="w-[min(48rem,calc(100vw-2rem))]"
      >
        <ChangeTable changes={changes} />
      </Dialog>
    </>
  );
}

const cellClass = "border-line border-t py-1.5 pr-3 align-top";

function ChangeTable({ changes }: { changes: AuditChange[] }) {
  const sides = (["before", "after"] as const).filter((side) =>
    changes.some((change) => change[side] !== null),
  );
  const names = { before: "Before", after: sides.length === 1 ? "Value" : "After" };
  return (
    <table className="w-full table-fixed text-left">
      <caption className="sr-only">What was changed</caption>
      <thead className="text-ink-3 text-xs">
        <tr>
          <th scope="col" className="w-1/4 py-1 pr-3 font-medium">
            Field
          </th>
          {sides.map((side) => (
            <th key={side} scope="col" className="py-1 pr-3 font-medium">
              {names[side]}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {changes.map((change) => (
          <tr key={change.field}>
            <th scope="row" className={`${cellClass} break-words font-mono font-normal text-xs`}>
              {change.field}
            </th>
            {sides.map((side) => (
              <td key={side} className={cellClass}>
                <Value text={change[side]} side={side} />
              </td>
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  );
}

function Value({ text, side }: { text: string | null; side: "before" | "after" }) {
  if (text === null) return <span className="text-ink-3 text-xs">Not set</span>;
  const Mark = side === "before" ? "del" : "ins";
  return <Mark className="whitespace-pre-wrap break-words font-mono text-xs no-underline">{text}</Mark>;
}
