import type { ReactNode } from "react";
import { ScrollRegion } from "#components/ui/scroll-region.tsx";

type GuideTableProps = {
  caption: string;
  columns: readonly string[];
  rows: readonly { key: string; cells: readonly ReactNode[] }[];
};

/** A small table to read, whose first cell names the row. */
export function GuideTable({ caption, columns, rows }: GuideTableProps) {
  return (
    <ScrollRegion label={caption} className="overflow-x-auto rounded-lg border border-line">
      <table className="w-full text-left">
        <caption className="sr-only">{caption}</caption>
        <thead className="bg-surface text-ink-2 text-xs">
          <tr>
            {columns.map((column) => (
              <th key={column} scope="col" className="h-9 px-3 py-1.5 font-medium sm:whitespace-nowrap">
                {column}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map(({ key, cells: [first, ...rest] }) => (
            <tr key={key} className="border-line border-t align-top">
              <th scope="row" className="px-3 py-2 font-normal">
                {first}
              </th>
              {rest.map((cell, place) => (
                // biome-ignore lint/suspicious/noArrayIndexKey: cells stand in the order of the columns
                <td key={place} className="px-3 py-2 text-ink-2">
                  {cell}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </ScrollRegion>
  );
}

/** A name as it is written in a request or a template. */
export function Code({ children }: { children: ReactNode }) {
  return <code className="font-mono text-ink text-xs">{children}</code>;
}
