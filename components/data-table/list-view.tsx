"use client";

import type { UseQueryResult } from "@tanstack/react-query";
import type { RowData } from "@tanstack/react-table";
import { ArrowUp, ChevronLeft, ChevronRight } from "lucide-react";
import { type ComponentProps, type ReactNode, useEffect, useMemo, useRef, useState } from "react";
import { shortcuts, useShortcut } from "#components/layout/shortcuts.tsx";
import { IconButton } from "#components/ui/icon-button.tsx";
import type { CappedCount, Page } from "#lib/api/paging.ts";
import { capitalize, formatCapped, formatNoun } from "#lib/format.ts";
import { DataTable, type ListColumn } from "./data-table.tsx";
import { useHeldRows } from "./held-rows.ts";
import { type Chosen, useSelection } from "./selection.ts";
import { SelectionBar } from "./selection-bar.tsx";
import { SelectionProvider, withSelection } from "./selection-column.tsx";
import {
  type ActiveFilter,
  ErrorState,
  isTooSlow,
  NoMatchState,
  StaleNotice,
  TableSkeleton,
  TooSlowState,
} from "./states.tsx";

const slowMs = 4_000;
const readingGraceMs = 3_000;

type ListViewProps<T extends RowData> = {
  caption: string;
  /** What the rows are, in the plural: "deliveries". */
  noun: string;
  query: UseQueryResult<Page<T>>;
  columns: ListColumn<T>[];
  rowKey: (row: T) => string;
  filters?: ActiveFilter[];
  onClearFilters?: () => void;
  empty: ReactNode;
  cursor: string | null;
  /** Not given where the list stands on another page and shows its first rows only. */
  onCursor?: (cursor: string | null) => void;
  /** How many rows match, where a filter narrows the list. */
  matching?: UseQueryResult<CappedCount> | undefined;
  /** What can be done with chosen rows; without it none can be chosen. */
  actions?: (chosen: Chosen<T>) => ReactNode;
  /** What a row is called, where rows can be chosen. */
  rowName?: (row: T) => string;
  /** False where the rows lead nowhere, and another list of the page has the keys that move between rows. */
  rowKeys?: boolean;
};

/** One list: its rows, or the one of four states that it is in, and the way to its other pages. */
export function ListView<T extends RowData>(props: ListViewProps<T>) {
  const { query, noun, filters = [], cursor, onCursor } = props;
  const { data, error, isPlaceholderData } = query;
  const slow = useSlow(query.isFetching);
  const retry = () => void query.refetch();
  if (!data) {
    if (isTooSlow(error))
      return (
        <TooSlowState noun={noun} filters={filters} error={error} onRetry={retry} busy={query.isFetching} />
      );
    if (error)
      return <ErrorState what={capitalize(noun)} error={error} onRetry={retry} busy={query.isFetching} />;
    return (
      <>
        {slow ? <SlowNotice filters={filters} /> : null}
        <TableSkeleton />
      </>
    );
  }
  return (
    <>
      {error ? <StaleNotice error={error} onRetry={retry} busy={query.isFetching} /> : null}
      {slow ? <SlowNotice filters={filters} /> : null}
      {props.matching && filters.length > 0 ? <Matching matching={props.matching} /> : null}
      {data.data.length > 0 ? (
        <Rows {...props} page={data} busy={isPlaceholderData} />
      ) : isPlaceholderData ? (
        <TableSkeleton />
      ) : cursor !== null ? (
        <p className="py-8 text-center text-ink-2">There is nothing on this page any more.</p>
      ) : filters.length > 0 ? (
        <NoMatchState noun={noun} filters={filters} onClear={props.onClearFilters ?? (() => {})} />
      ) : (
        props.empty
      )}
      {onCursor && (data.previous_cursor !== null || data.next_cursor !== null || cursor !== null) ? (
        <Pager page={data} cursor={cursor} onCursor={onCursor} />
      ) : null}
    </>
  );
}

function Rows<T extends RowData>({
  page,
  busy,
  ...props
}: ListViewProps<T> & { page: Page<T>; busy: boolean }) {
  const body = useRef<HTMLTableSectionElement>(null);
  const [reading, setReading] = useReading();
  // While the next list is on its way, the rows are still those of the one before.
  const list = busy
    ? ""
    : JSON.stringify([props.cursor, props.filters?.map(({ name, value }) => [name, value])]);
  const [anyChosen, setAnyChosen] = useState(false);
  const { rows, waiting, accept } = useHeldRows(list, page.data, props.rowKey, reading || anyChosen);
  const selection = useSelection(list, rows, props.rowKey);
  if (anyChosen !== selection.rows.length > 0) setAnyChosen(!anyChosen);
  const step = (by: 1 | -1) => focusRow(body.current, by);
  const { rowKeys = true, actions, rowName = props.rowKey } = props;
  const canChoose = actions !== undefined;
  const columns = useMemo(
    () => (canChoose ? withSelection(props.columns) : props.columns),
    [canChoose, props.columns],
  );
  const choosing = { selection, total: rows.length, rowName } as ComponentProps<
    typeof SelectionProvider
  >["value"];
  const chooseFocused = (range: boolean) => {
    const row = rows[focusedRow(body.current)];
    if (row) selection.toggle(row, { range });
  };
  useShortcut("next_row", rowKeys ? () => step(1) : null);
  useShortcut("previous_row", rowKeys ? () => step(-1) : null);
  useShortcut("select_row", canChoose ? () => chooseFocused(false) : null);
  useShortcut("select_range", canChoose ? () => chooseFocused(true) : null);
  useShortcut("close", selection.rows.length > 0 ? selection.clear : null);
  return (
    <>
      <div role="status" className="sticky top-[calc(var(--top-bar)+2.5rem)] z-11 flex h-0 justify-center">
        {waiting > 0 ? (
          <button
            type="button"
            onClick={(event) => {
              accept();
              // Pressed by keyboard, it hands the focus on rather than taking it along.
              if (event.detail === 0) focusRow(body.current, 1);
            }}
            className="flex h-7 items-center gap-1.5 rounded-full border border-line bg-raised px-3 font-medium text-xs shadow-popup hover:bg-hover"
          >
            <ArrowUp aria-hidden className="size-3.5" />
            {waiting} new
          </button>
        ) : null}
      </div>
      <p role="status" className="sr-only">
        {busy ? "" : `Showing ${formatNoun(rows.length, "row")}`}
      </p>
      <SelectionProvider value={choosing}>
        <DataTable
          caption={props.caption}
          columns={columns}
          rows={rows}
          rowKey={props.rowKey}
          isChosen={canChoose ? selection.has : undefined}
          busy={busy}
          bodyRef={body}
          onReading={setReading}
        />
      </SelectionProvider>
      {actions ? (
        <SelectionBar selection={selection} noun={props.noun} matching={props.matching?.data ?? null}>
          {actions(selection)}
        </SelectionBar>
      ) : null}
    </>
  );
}

/** Reading ends a moment after the pointer has left, which may be on its way to "12 new". */
function useReading(): [boolean, (reading: boolean) => void] {
  const [reading, setReading] = useState(false);
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  useEffect(() => () => clearTimeout(timer.current), []);
  const change = (next: boolean) => {
    clearTimeout(timer.current);
    if (next) setReading(true);
    else timer.current = setTimeout(() => setReading(false), readingGraceMs);
  };
  return [reading, change];
}

const rowLinks = (body: HTMLTableSectionElement | null) =>
  Array.from(body?.querySelectorAll<HTMLAnchorElement>("a[data-row-link]") ?? []);

/** The place of the row that has the focus; -1 when none has it. */
function focusedRow(body: HTMLTableSectionElement | null): number {
  const row = document.activeElement?.closest("tr");
  return rowLinks(body).findIndex((link) => row?.contains(link));
}

/** Moves the focus between the rows' links; from outside, to the first or the last. */
function focusRow(body: HTMLTableSectionElement | null, by: 1 | -1) {
  const links = rowLinks(body);
  const index = focusedRow(body);
  const target = index === -1 ? links.at(by === 1 ? 0 : -1) : links[index + by];
  target?.focus();
  target?.closest("tr")?.scrollIntoView({ block: "nearest" });
}

type PagerProps = { page: Page<unknown>; cursor: string | null; onCursor: (cursor: string | null) => void };

function Pager({ page, cursor, onCursor }: PagerProps) {
  const previous = () => page.previous_cursor !== null && onCursor(page.previous_cursor);
  const next = () => page.next_cursor !== null && onCursor(page.next_cursor);
  useShortcut("previous_page", previous);
  useShortcut("next_page", next);
  return (
    <nav aria-label="Pages" className="mt-3 flex items-center justify-end gap-1">
      {cursor !== null ? (
        <button
          type="button"
          onClick={() => onCursor(null)}
          className="mr-2 h-8 px-2 text-ink-2 hover:text-ink hover:underline"
        >
          Back to the first page
        </button>
      ) : null}
      <IconButton
        label="Previous page"
        keys={shortcuts.previous_page.keys}
        disabled={page.previous_cursor === null}
        onClick={previous}
      >
        <ChevronLeft aria-hidden />
      </IconButton>
      <IconButton
        label="Next page"
        keys={shortcuts.next_page.keys}
        disabled={page.next_cursor === null}
        onClick={next}
      >
        <ChevronRight aria-hidden />
      </IconButton>
    </nav>
  );
}

/** Its line is there from the start, so that no row moves once the count is known. */
function Matching({ matching: { data, error } }: { matching: UseQueryResult<CappedCount> }) {
  const unknown = error ? "How many match could not be counted in time." : "Counting…";
  return <p className="mb-2 text-ink-2 text-xs">{data ? `${formatCapped(data)} match` : unknown}</p>;
}

function SlowNotice({ filters }: { filters: ActiveFilter[] }) {
  return (
    <p role="status" className="mb-3 rounded-md border border-line bg-warn-tint px-3 py-2 text-warn">
      This takes longer than it should.{" "}
      {filters.length > 0
        ? `A narrower filter than ${filters.map(({ name }) => name).join(", ")} would be faster.`
        : "A filter would make it faster."}
    </p>
  );
}

/** True once one read has been under way for a while. */
function useSlow(fetching: boolean): boolean {
  const [slow, setSlow] = useState(false);
  useEffect(() => {
    if (!fetching) return;
    const timer = setTimeout(() => setSlow(true), slowMs);
    return () => {
      clearTimeout(timer);
      setSlow(false);
    };
  }, [fetching]);
  return slow;
}
