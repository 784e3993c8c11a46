import { LoaderCircle } from "lucide-react";
import Link from "next/link";
import { type ComponentProps, type MouseEvent, useId } from "react";
import { classNames } from "./class-names.ts";

type Tone = "primary" | "plain" | "quiet" | "danger";

const tones = {
  primary:
    "bg-accent text-accent-ink border-accent hover:bg-accent-hover hover:border-accent-hover font-medium",
  plain: "bg-raised text-ink border-control-line hover:bg-hover",
  quiet: "bg-transparent text-ink-2 border-transparent hover:bg-hover hover:text-ink",
  danger: "bg-bad text-on-bad border-bad hover:bg-bad-hover hover:border-bad-hover font-medium",
} satisfies Record<Tone, string>;

const shape =
  "inline-flex h-8 items-center justify-center gap-1.5 rounded-md border px-3 text-sm whitespace-nowrap transition-colors [&_svg]:size-4 [&_svg]:shrink-0";

type ButtonProps = ComponentProps<"button"> & {
  tone?: Tone;
  /** Shown while its action runs; a second press does nothing. */
  busy?: boolean;
  /** Why it may not be pressed. The button stays focusable, and the reason stands below it. */
  disabledReason?: string | null;
};

export function Button({
  tone = "plain",
  busy = false,
  disabledReason,
  className,
  onClick,
  children,
  ...rest
}: ButtonProps) {
  const reasonId = useId();
  const blocked = busy || Boolean(disabledReason);
  const press = (event: MouseEvent<HTMLButtonElement>) => {
    // The second click of a double click is the same press.
    if (blocked || event.detail > 1) {
      event.preventDefault();
      return;
    }
    onClick?.(event);
  };
  const button = (
    <button
      type="button"
      {...rest}
      onClick={press}
      aria-disabled={blocked || undefined}
      aria-busy={busy || undefined}
      aria-describedby={disabledReason ? reasonId : rest["aria-describedby"]}
      className={classNames(
        shape,
        tones[tone],
        "disabled:cursor-not-allowed disabled:opacity-60",
        blocked &&
          "cursor-not-allowed border-line bg-surface font-normal text-ink-3 hover:border-line hover:bg-surface",
        className,
      )}
    >
      {busy ? <LoaderCircle aria-hidden className="motion-safe:animate-spin" /> : null}
      {children}
    </button>
  );
  if (!disabledReason) return button;
  return (
    <span className="inline-flex max-w-80 flex-col items-start gap-1">
      {button}
      <span id={reasonId} className="text-xs text-ink-3">
        {disabledReason}
      </span>
    </span>
  );
}

/** A link that looks like a button, for what goes to another page. */
export function ButtonLink({
  tone = "plain",
  className,
  ...rest
}: ComponentProps<typeof Link> & { tone?: Tone }) {
  return <Link {...rest} className={classNames(shape, tones[tone], className)} />;
}
