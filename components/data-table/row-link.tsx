import Link from "next/link";
import type { ComponentProps } from "react";
import { classNames } from "#components/ui/class-names.ts";

/** The true link in a row's first cell. Not prefetched: a page of rows would ask for fifty pages. */
export function RowLink({ className, ...rest }: ComponentProps<typeof Link>) {
  return (
    <Link
      {...rest}
      data-row-link
      prefetch={false}
      className={classNames("rounded-sm font-medium underline-offset-2 hover:underline", className)}
    />
  );
}
