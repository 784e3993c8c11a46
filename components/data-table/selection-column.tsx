"use client";

import type { RowData } from "@tanstack/react-table";
import { createContext, useContext } from "react";
import { shortcuts } from "#components/layout/shortcuts.tsx";
import { type ListColumn, listColumnHelper } from "./data-table.tsx";
import type { Selection } from "./selection.ts";

type Choosing = { selection: Selection<unknown>; total: number; rowName: (row: unknown) => string };

/** The column itself never changes: a new one would replace a box while it is being pressed. */
const ChoosingContext = createContext<Choosing | null>(null);

/** What the boxes within choose from; `total` is the number of rows on the page. */
export const SelectionProvider = ChoosingContext.Provider;

const helper = listColumnHelper<RowData>();
const column = helper.display({
  id: "select",
  header: () => <PageBox />,
  meta: { phone: "hidden", className: "sm:w-11 sm:pr-0!" },
  cell: ({ row }) => <RowBox row={row.original} />,
});

/** The columns with the boxes before them. */
export function withSelection<T extends RowData>(columns: ListColumn<T>[]): ListColumn<T>[] {
  return [column as unknown as ListColumn<T>, ...columns];
}

const box = "flex size-6 items-center justify-center";

function PageBox() {
  const choosing = useContext(ChoosingContext);
  if (!choosing) return null;
  const { selection, total } = choosing;
  const every = selection.rows.length === total;
  return (
    <label className={box}>
      <input
        type="checkbox"
        aria-label="Select all rows of this page"
        checked={every}
        ref={(input) => {
          if (input) input.indeterminate = selection.rows.length > 0 && !every;
        }}
        onChange={selection.togglePage}
      />
    </label>
  );
}

function RowBox({ row }: { row: unknown }) {
  const choosing = useContext(ChoosingContext);
  if (!choosing) return null;
  const { selection, rowName } = choosing;
  return (
    <label className={box}>
      <input
        type="checkbox"
        aria-label={`Select ${rowName(row)}`}
        title={`Select (${shortcuts.select_row.keys}); with Shift, all up to it`}
        checked={selection.has(row)}
        onChange={({ nativeEvent }) =>
          selection.toggle(row, { range: nativeEvent instanceof MouseEvent && nativeEvent.shiftKey })
        }
      />
    </label>
  );
}
