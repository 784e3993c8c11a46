import type { LucideIcon } from "lucide-react";
import { classNames } from "./class-names.ts";

type PillTone = "ok" | "bad" | "warn" | "info" | "held" | "idle";

const tones = {
  ok: "bg-ok-tint text-ok",
  bad: "bg-bad-tint text-bad",
  warn: "bg-warn-tint text-warn",
  info: "bg-info-tint text-info",
  held: "bg-held-tint text-held",
  idle: "bg-idle-tint text-idle",
} satisfies Record<PillTone, string>;

/** How one state looks; spread into its pill. */
export type PillLook = { tone: PillTone; icon: LucideIcon };

type PillProps = PillLook & { children: string; className?: string };

/** A state: icon, word and colour, never colour alone. */
export function Pill({ tone, icon: Icon, children, className }: PillProps) {
  return (
    <span
      className={classNames(
        "inline-flex h-5.5 shrink-0 align-middle items-center gap-1 rounded-full px-2 font-medium text-xs whitespace-nowrap",
        tones[tone],
        className,
      )}
    >
      <Icon aria-hidden className="size-3.5 shrink-0" />
      {children}
    </span>
  );
}
