import type { ReactNode } from "react";

type ScrollRegionProps = { label: string; className: string; children: ReactNode };

/** A part that scrolls by itself, named and reachable by keyboard. A group, as a page may hold several alike. */
export function ScrollRegion({ label, className, children }: ScrollRegionProps) {
  return (
    // biome-ignore lint/a11y/useSemanticElements: a fieldset is for the fields of a form
    <div
      role="group"
      aria-label={label}
      // biome-ignore lint/a11y/noNoninteractiveTabindex: without it the keyboard cannot scroll it
      tabIndex={0}
      className={className}
    >
      {children}
    </div>
  );
}
