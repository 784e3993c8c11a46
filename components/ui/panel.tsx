import type { ReactNode } from "react";
import { classNames } from "./class-names.ts";

type PanelProps = { title: string; id?: string; aside?: ReactNode; children: ReactNode; className?: string };

/** A titled part of a page. */
export function Panel({ title, id, aside, children, className }: PanelProps) {
  return (
    <div id={id} className={classNames("min-w-0 rounded-lg border border-line", className)}>
      <div className="flex min-h-10 flex-wrap items-center justify-between gap-2 border-line border-b px-4 py-1.5">
        <h2 className="font-semibold text-sm">{title}</h2>
        {aside}
      </div>
      <div className="p-4">{children}</div>
    </div>
  );
}

/** Facts as a list of names and values. */
export function Facts({ children }: { children: ReactNode }) {
  return <dl className="grid grid-cols-[minmax(6rem,auto)_minmax(0,1fr)] gap-x-4 gap-y-2">{children}</dl>;
}

export function Fact({ name, children }: { name: string; children: ReactNode }) {
  return (
    <>
      <dt className="text-ink-3">{name}</dt>
      <dd className="min-w-0 break-words">{children}</dd>
    </>
  );
}
