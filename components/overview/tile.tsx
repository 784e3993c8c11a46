import Link from "next/link";
import type { ReactNode } from "react";
import { classNames } from "#components/ui/class-names.ts";

type TileProps = {
  href: string;
  label: string;
  value: string;
  note?: ReactNode;
  alarming?: boolean;
  /** For several numbers in one. */
  small?: boolean;
};

/** One number, and the way to the list that explains it. */
export function Tile({ href, label, value, note, alarming = false, small = false }: TileProps) {
  return (
    <Link
      href={href}
      prefetch={false}
      className="flex min-w-0 flex-col gap-0.5 rounded-lg border border-line px-4 py-3 transition-colors hover:bg-hover max-md:last:odd:col-span-2"
    >
      <span className="text-ink-2">{label}</span>
      <span
        className={classNames(
          "font-semibold tracking-tight",
          small ? "text-base leading-7" : "text-xl",
          alarming && "text-bad",
        )}
      >
        {value}
      </span>
      <span className="min-h-4 text-ink-3 text-xs">{note}</span>
    </Link>
  );
}

type TileGroupProps = { title: string; children: ReactNode; columns?: keyof typeof wideColumns };

const wideColumns = { 5: "xl:grid-cols-5", 6: "xl:grid-cols-6" };

export function TileGroup({ title, children, columns = 5 }: TileGroupProps) {
  return (
    <section>
      <h2 className="mb-2 font-semibold text-sm">{title}</h2>
      <div className={classNames("grid grid-cols-2 gap-3 md:grid-cols-3", wideColumns[columns])}>
        {children}
      </div>
    </section>
  );
}
