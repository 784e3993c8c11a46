"use client";

import { useState } from "react";

/**
 * What to show of a list that refreshes. While somebody reads (pointer or focus in the rows), known rows are
 * patched in place and keep their position, and new ones are only counted; otherwise the list is simply fresh.
 * `list` names the query, so that another page or filter starts anew.
 */
export function useHeldRows<T>(list: string, fresh: T[], rowKey: (row: T) => string, reading: boolean) {
  const [shown, setShown] = useState({ list, rows: fresh });
  const accept = () => setShown({ list, rows: fresh });
  if (shown.list !== list || (!reading && shown.rows !== fresh)) accept();
  const holds = shown.list === list && reading;
  return { ...(holds ? holdRows(shown.rows, fresh, rowKey) : { rows: fresh, waiting: 0 }), accept };
}

/** The shown rows with fresh values, and how many fresh rows there are beyond them. */
export function holdRows<T>(
  shown: T[],
  fresh: T[],
  rowKey: (row: T) => string,
): { rows: T[]; waiting: number } {
  const freshByKey = new Map(fresh.map((row) => [rowKey(row), row]));
  const shownKeys = new Set(shown.map(rowKey));
  return {
    rows: shown.map((row) => freshByKey.get(rowKey(row)) ?? row),
    waiting: fresh.filter((row) => !shownKeys.has(rowKey(row))).length,
  };
}
