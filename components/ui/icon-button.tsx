import type { ComponentProps } from "react";
import { classNames } from "./class-names.ts";

type IconButtonProps = ComponentProps<"button"> & {
  label: string;
  /** The shortcut that does the same, shown in the tooltip. */
  keys?: string;
};

export function IconButton({ label, keys, className, ...rest }: IconButtonProps) {
  return (
    <button
      type="button"
      aria-label={label}
      title={keys ? `${label} (${keys})` : label}
      {...rest}
      className={classNames(
        "inline-flex size-8 shrink-0 items-center justify-center rounded-md text-ink-2 transition-colors hover:bg-hover hover:text-ink disabled:pointer-events-none disabled:opacity-40 [&_svg]:size-4",
        className,
      )}
    />
  );
}
