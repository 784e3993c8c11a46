"use client";

import { useMutation } from "@tanstack/react-query";
import { RotateCw } from "lucide-react";
import { createContext, type MouseEvent, type ReactNode, useContext, useRef, useState } from "react";
import { toast } from "sonner";
import { Button } from "#components/ui/button.tsx";
import { ConfirmDialog } from "#components/ui/lazy-dialog.tsx";
import { resendSelectedOptions } from "#lib/dead-letters/client.ts";
import { formatNoun } from "#lib/format.ts";

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
  const [open, setOpen] = useState(false);
  const resend = useMutation({
    ...resendSelectedOptions,
    onSuccess: ({ resent, refused }) => {
      setOpen(false);
      onClear();
      const words = `${formatNoun(resent, "delivery", "deliveries")} put back`;
      if (refused.length === 0) toast.success(`${words}.`);
      else toast.warning(`${words}, ${refused.length} refused.`, { description: refused[0] });
    },
  });
  const what = formatNoun(ids.length, "delivery", "deliveries");
  return (
    <div
      role="status"
      className="sticky bottom-3 z-20 mb-3 flex flex-wrap items-center gap-2 rounded-lg border border-control-line bg-raised px-3 py-2 shadow-popup"
    >
      <span className="mr-2 font-medium">{formatNoun(ids.length, "row")} selected</span>
      <Button onClick={() => setOpen(true)}>
        <RotateCw aria-hidden />
        Resend
      </Button>
      <Button tone="quiet" onClick={onClear}>
        Clear
      </Button>
      <ConfirmDialog
        open={open}
        onOpenChange={setOpen}
        title={`Resend ${what}?`}
        confirmLabel={`Resend ${what}`}
        onConfirm={() => resend.mutate(ids)}
        busy={resend.isPending}
      >
        <p>
          Each gets a fresh set of attempts and sends the same request again, under its endpoint's limits.
        </p>
      </ConfirmDialog>
    </div>
  );
}
