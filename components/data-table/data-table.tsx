"use client";

import {
  type ColumnDef,
  createColumnHelper,
  type RowData,
  tableFeatures,
  useTable,
} from "@tanstack/react-table";
import { ArrowDown, ArrowUp } from "lucide-react";
import type { MouseEvent, Ref } from "react";
import { classNames } from "#components/ui/class-names.ts";

type ListColumnMeta = {
  /** Where the cell stands in the two lines that a row becomes below 640 px. */
  phone: "lead" | "lead-end" | "second" | "second-end" | "hidden";
  /** Width and visibility of the column. */
  className?: string;
  /** The order that the rows come in. */
  sorted?: "ascending" | "descending";
};

const features = tableFeatures({ columnMeta: {} as ListColumnMeta });

export type ListColumn<T extends RowData> = ColumnDef<typeof features, T>;

/** Columns of one list, with the table's own features bound. */
export function listColumnHelper<T extends RowData>() {
  return createColumnHelper<typeof features, T>();
}

const phoneClasses = {
  lead: "max-sm:col-start-1 max-sm:row-start-1",
  "lead-end": "max-sm:col-start-2 max-sm:row-start-1 max-sm:justify-self-end",
  second: "max-sm:col-start-1 max-sm:row-start-2",
  "second-end": "max-sm:col-start-2 max-sm:row-start-2 max-sm:justify-self-end",
  hidden: "max-sm:hidden",
} satisfies Record<ListColumnMeta["phone"], string>;

type DataTableProps<T extends RowData> = {
  caption: string;
  columns: ListColumn<T>[];
  rows: T[];
  rowKey: (row: T) => string;
  isChosen?: ((row: T) => boolean) | undefined;
  busy?: boolean;
  bodyRef?: Ref<HTMLTableSectionElement>;
  onReading?: (reading: boolean) => void;
};

/** A real table; the first cell of a row holds the link that the whole row leads to. */
export function DataTable<T extends RowData>({
  caption,
  columns,
  rows,
  rowKey,
  isChosen,
  busy,
  bodyRef,
  onReading,
}: DataTableProps<T>) {
  const table = useTable({ features, columns, data: rows, getRowId: rowKey });
  return (
    <table
      aria-busy={busy || undefined}
      className={classNames(
        "w-full table-fixed border-separate border-spacing-0 max-sm:block",
        busy && "opacity-60",
      )}
    >
      <caption className="sr-only">{caption}</caption>
      <thead className="max-sm:sr-only">
        {table.getHeaderGroups().map((group) => (
          <tr key={group.id}>
            {group.headers.map((header) => {
              const meta = header.column.columnDef.meta;
              return (
                <th
                  key={header.id}
                  scope="col"
                  aria-sort={meta?.sorted}
                  className={classNames(
                    "sticky top-(--top-bar) z-10 h-9 truncate border-line border-y bg-surface px-3 text-left font-medium text-ink-3 text-xs first:rounded-tl-lg first:border-l last:rounded-tr-lg last:border-r",
                    meta?.className,
                  )}
                >
                  <table.FlexRender header={header} />
                  {meta?.sorted ? <SortMark sorted={meta.sorted} /> : null}
                </th>
              );
            })}
          </tr>
        ))}
      </thead>
      {/* biome-ignore lint/a11y/useKeyWithClickEvents: the keyboard has the row's link */}
      <tbody
        ref={bodyRef}
        className="max-sm:block max-sm:border-line max-sm:border-t"
        onClick={openRow}
        onMouseEnter={() => onReading?.(true)}
        onMouseLeave={(event) => onReading?.(event.currentTarget.contains(document.activeElement))}
        onFocus={() => onReading?.(true)}
        onBlur={(event) => onReading?.(event.currentTarget.contains(event.relatedTarget))}
      >
        {table.getRowModel().rows.map((row) => (
          <tr
            key={row.id}
            data-chosen={isChosen?.(row.original) || undefined}
            className="group data-chosen:bg-info-tint has-[[data-row-link]]:cursor-pointer hover:bg-hover has-[[data-row-link]:focus-visible]:bg-hover max-sm:grid max-sm:grid-cols-[minmax(0,1fr)_auto] max-sm:gap-x-3 max-sm:gap-y-1 max-sm:border-line max-sm:border-b max-sm:py-2.5"
          >
            {row.getAllCells().map((cell) => {
              const meta = cell.column.columnDef.meta;
              return (
                <td
                  key={cell.id}
                  className={classNames(
                    "min-w-0 sm:h-10 sm:truncate sm:border-line sm:border-b sm:px-3 sm:first:border-l sm:last:border-r sm:group-last:first:rounded-bl-lg sm:group-last:last:rounded-br-lg",
                    meta?.className,
                    meta && phoneClasses[meta.phone],
                  )}
                >
                  <table.FlexRender cell={cell} />
                </td>
              );
            })}
          </tr>
        ))}
      </tbody>
    </table>
  );
}

function SortMark({ sorted }: { sorted: "ascending" | "descending" }) {
  const Arrow = sorted === "ascending" ? ArrowUp : ArrowDown;
  return <Arrow aria-hidden className="ml-1 inline size-3 align-[-1px]" />;
}

/** A click beside the row's own controls follows the row's link; selecting text does not. */
function openRow(event: MouseEvent<HTMLTableSectionElement>) {
  if (!(event.target instanceof Element) || event.target.closest("a, button, input, label")) return;
  if (window.getSelection()?.isCollapsed === false) return;
  event.target.closest("tr")?.querySelector<HTMLAnchorElement>("a[data-row-link]")?.click();
}
