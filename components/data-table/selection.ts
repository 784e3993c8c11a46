"use client";

import { useState } from "react";

/** What a reader chose of a list: rows of its page, or everything that matches its filters. */
export type Chosen<T> = { rows: T[]; allMatching: boolean; clear: () => void };

export type Selection<T> = Chosen<T> & {
  has: (row: T) => boolean;
  /** `range`: with all between it and the row that was chosen last. */
  toggle: (row: T, options: { range: boolean }) => void;
  /** All of the page, or none of it. */
  togglePage: () => void;
  chooseAllMatching: () => void;
};

type State = { list: string; keys: ReadonlySet<string>; anchor: string | null; allMatching: boolean };

const nothing = { keys: new Set<string>(), anchor: null, allMatching: false };

/** `list` names the query, so that another page or filter starts with nothing chosen. */
export function useSelection<T>(list: string, rows: T[], rowKey: (row: T) => string): Selection<T> {
  const [stored, setState] = useState<State>({ list, ...nothing });
  const state = stored.list === list ? stored : { list, ...nothing };
  const change = (next: Omit<State, "list">) => setState({ list, ...next });
  const chosen = rows.filter((row) => state.keys.has(rowKey(row)));
  return {
    rows: chosen,
    allMatching: state.allMatching,
    clear: () => change(nothing),
    has: (row) => state.allMatching || state.keys.has(rowKey(row)),
    toggle: (row, { range }) => {
      const key = rowKey(row);
      const keys = chooseRow(rows.map(rowKey), state, { key, range });
      change({ keys, anchor: key, allMatching: false });
    },
    togglePage: () =>
      change(chosen.length === rows.length ? nothing : { ...nothing, keys: new Set(rows.map(rowKey)) }),
    chooseAllMatching: () => change({ ...nothing, keys: new Set(rows.map(rowKey)), allMatching: true }),
  };
}

/** The keys that are chosen once this one was toggled. A range takes the state that the row itself gets. */
export function chooseRow(
  all: string[],
  { keys, anchor }: Pick<State, "keys" | "anchor">,
  { key, range }: { key: string; range: boolean },
): Set<string> {
  const next = new Set(keys);
  const from = range && anchor !== null ? all.indexOf(anchor) : -1;
  const to = all.indexOf(key);
  const span = from === -1 ? [key] : all.slice(Math.min(from, to), Math.max(from, to) + 1);
  for (const one of span) {
    if (keys.has(key)) next.delete(one);
    else next.add(one);
  }
  return next;
}
