import { type ComponentProps, useId } from "react";
import { classNames } from "./class-names.ts";

type IconButtonProps = ComponentProps<"button"> & {
  label: string;
  /** The shortcut that does the same, shown in the tooltip. */
  keys?: string;
  /** Why it may not be pressed. The button stays focusable, and says so in its tooltip. */
  disabledReason?: string | null;
};

export function IconButton({
  label,
  keys,
  disabledReason,
  className,
  onClick,
  children,
  ...rest
}: IconButtonProps) {
  const reasonId = useId();
  const name = keys ? `${label} (${keys})` : label;
  return (
    <button
      type="button"
      aria-label={label}
      title={disabledReason ? `${name}: ${disabledReason}` : name}
      {...rest}
      onClick={disabledReason ? undefined : onClick}
      {...(disabledReason ? { "aria-disabled": true, "aria-describedby": reasonId } : {})}
      className={classNames(
        "inline-flex size-8 shrink-0 items-center justify-center rounded-md text-ink-2 transition-colors hover:bg-hover hover:text-ink disabled:pointer-events-none disabled:opacity-40 [&_svg]:size-4",
        disabledReason && "cursor-not-allowed opacity-40 hover:bg-transparent hover:text-ink-2",
        className,
      )}
    >
      {children}
      {disabledReason ? (
        <span id={reasonId} className="sr-only">
          {disabledReason}
        </span>
      ) : null}
    </button>
  );
}
