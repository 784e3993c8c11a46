"use client";

import { createContext, type MouseEvent, type ReactNode, useContext, useRef, useState } from "react";
import { Button } from "#components/ui/button.tsx";
import { formatNoun } from "#lib/format.ts";
import { RequeueButton } from "./requeue-button.tsx";

type Selection = {
  ids: ReadonlySet<string>;
  toggle: (id: string, range: boolean) => void;
};
const SelectionContext = createContext<Selection | null>(null);

/** Rows that are ticked, of those that are on the page: `shown` in their order, for ranges. */
export function SelectionProvider({ shown, children }: { shown: string[]; children: ReactNode }) {
  const [ticked, setTicked] = useState<ReadonlySet<string>>(new Set());
  const latest = useRef<string | null>(null);
  const ids = new Set(shown.filter((id) => ticked.has(id)));
  const toggle = (id: string, range: boolean) => {
    const from = range && latest.current !== null ? shown.indexOf(latest.current) : -1;
    const to = shown.indexOf(id);
    const meant = from === -1 ? [id] : shown.slice(Math.min(from, to), Math.max(from, to) + 1);
    const next = new Set(ids);
    for (const one of meant) {
      if (ids.has(id)) next.delete(one);
      else next.add(one);
    }
    latest.current = id;
    setTicked(next);
  };
  return (
    <SelectionContext value={{ ids, toggle }}>
      {ids.size > 0 ? <SelectionBar ids={[...ids]} onClear={() => setTicked(new Set())} /> : null}
      {children}
    </SelectionContext>
  );
}

export function SelectBox({ id }: { id: string }) {
  const selection = useContext(SelectionContext);
  return (
    <label className="relative -my-1 mr-1 inline-flex size-6 items-center justify-center align-middle">
      <span className="sr-only">Select delivery {id}</span>
      <input
        type="checkbox"
        checked={selection?.ids.has(id) ?? false}
        onChange={(event) =>
          selection?.toggle(id, (event.nativeEvent as unknown as MouseEvent).shiftKey === true)
        }
        className="size-3.5 accent-focus"
      />
    </label>
  );
}

function SelectionBar({ ids, onClear }: { ids: string[]; onClear: () => void }) {
  const what = formatNoun(ids.length, "dead letter");
  return (
    <div
      role="status"
      className="sticky bottom-3 z-20 mb-3 flex flex-wrap items-start gap-2 rounded-lg border border-control-line bg-raised px-3 py-2 shadow-popup"
    >
      <span className="mr-2 font-medium leading-8">{formatNoun(ids.length, "row")} selected</span>
      <RequeueButton label="Requeue" title={`Requeue ${what}?`} filter={{ ids }} onCreated={onClear} />
      <RequeueButton
        label="Discard"
        operation="discard"
        title={`Discard ${what}?`}
        filter={{ ids }}
        onCreated={onClear}
      />
      <Button tone="quiet" onClick={onClear}>
        Clear
      </Button>
    </div>
  );
}
