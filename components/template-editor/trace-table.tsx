import { classNames } from "#components/ui/class-names.ts";
import type { TracePiece } from "#lib/delivery/template/render.ts";
import { formatNoun } from "#lib/format.ts";

type Row = { text: string; from: NonNullable<TracePiece["from"]> };
type TraceTableProps = {
  pieces: readonly TracePiece[];
  active: string | null;
  onActive: (macro: string | null) => void;
};

const maxRows = 100;

/** Where each value comes from: macro, field, the value that it has, and what is written for it. */
export function TraceTable({ pieces, active, onActive }: TraceTableProps) {
  const rows = rowsOf(pieces);
  if (rows.length === 0)
    return <p className="text-ink-2">The template has no macros yet: every event sends the same.</p>;
  return (
    <div className="overflow-x-auto rounded-md border border-line">
      <table className="w-full table-fixed text-xs">
        <caption className="sr-only">Values and the macros that they come from</caption>
        <thead>
          <tr className="border-line border-b bg-surface text-left text-ink-3">
            <th scope="col" className="px-3 py-1.5 font-medium">
              Macro
            </th>
            <th scope="col" className="px-3 py-1.5 font-medium">
              Value
            </th>
            <th scope="col" className="px-3 py-1.5 font-medium">
              Sent as
            </th>
          </tr>
        </thead>
        <tbody>
          {rows.slice(0, maxRows).map(({ text, from }) => (
            <tr
              key={`${from.macro} ${text}`}
              onMouseEnter={() => onActive(from.macro)}
              onMouseLeave={() => onActive(null)}
              className={classNames(
                "border-line border-b align-top last:border-b-0",
                active === from.macro && "bg-info-tint",
              )}
            >
              <th scope="row" className="break-all px-3 py-1.5 text-left font-mono font-normal">
                {from.macro}
              </th>
              <td className="wrap-anywhere px-3 py-1.5">
                <Value row={{ text, from }} />
              </td>
              <td className="break-all px-3 py-1.5 font-mono">{text}</td>
            </tr>
          ))}
        </tbody>
      </table>
      {rows.length > maxRows ? (
        <p className="border-line border-t px-3 py-1.5 text-ink-3 text-xs">
          And {formatNoun(rows.length - maxRows, "macro")} more.
        </p>
      ) : null}
    </div>
  );
}

function Value({ row: { text, from } }: { row: Row }) {
  if (from.name.startsWith("secret.")) return <span className="text-ink-2">put in at send</span>;
  if (from.usedDefault) return <span className="text-ink-2">none in this event; the default</span>;
  if (from.value === null) {
    return (
      <span className="text-warn">{text === "" ? "none in this event" : "none in this event; null"}</span>
    );
  }
  if (from.name === "delivery_id") {
    return <span className="text-ink-2">an example; each delivery has its own</span>;
  }
  return <span className="break-all font-mono">{from.value}</span>;
}

/** A macro that stands in several places has one value; written differently, it has a row for each. */
function rowsOf(pieces: readonly TracePiece[]): Row[] {
  const rows = new Map<string, Row>();
  for (const { text, from } of pieces) if (from) rows.set(`${from.macro} ${text}`, { text, from });
  return [...rows.values()];
}
