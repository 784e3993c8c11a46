"use client";

import { X } from "lucide-react";
import type { ReactNode } from "react";
import { shortcuts } from "#components/layout/shortcuts.tsx";
import { IconButton } from "#components/ui/icon-button.tsx";
import type { CappedCount } from "#lib/api/paging.ts";
import { formatCapped, formatCount } from "#lib/format.ts";
import type { Selection } from "./selection.ts";

type SelectionBarProps<T> = {
  selection: Selection<T>;
  noun: string;
  /** Null while it is not known. */
  matching: CappedCount | null;
  /** What can be done with what is chosen. */
  children: ReactNode;
};

/** Stands at the window's lower edge while something is chosen. */
export function SelectionBar<T>({ selection, noun, matching, children }: SelectionBarProps<T>) {
  const { rows, allMatching } = selection;
  if (rows.length === 0) return null;
  const offersAll = !allMatching && matching !== null && (matching.capped || matching.count > rows.length);
  return (
    <section
      aria-label="Selection"
      className="sticky bottom-4 z-20 mx-auto mt-3 flex w-fit max-w-full flex-wrap items-center gap-x-3 gap-y-1 rounded-lg border border-line bg-raised py-1.5 pr-1.5 pl-4 shadow-popup"
    >
      <p role="status" className="font-medium">
        {allMatching && matching
          ? `All ${formatCapped(matching)} ${noun} that match`
          : `${formatCount(rows.length)} selected`}
      </p>
      {offersAll ? (
        <button
          type="button"
          onClick={selection.chooseAllMatching}
          className="h-8 text-ink-2 underline underline-offset-2 hover:text-ink"
        >
          Select all {formatCapped(matching)} that match
        </button>
      ) : null}
      {children}
      <IconButton label="Clear the selection" keys={shortcuts.close.keys} onClick={selection.clear}>
        <X aria-hidden />
      </IconButton>
    </section>
  );
}
