"use client";

import { Popover as Base } from "@base-ui/react/popover";
import type { PopoverProps } from "./lazy-popover.tsx";

/** The popover itself; it is first shown because somebody pressed its trigger, so it begins open. */
export function RealPopover({ label, trigger, children }: PopoverProps) {
  return (
    <Base.Root defaultOpen>
      <Base.Trigger render={trigger} />
      <Base.Portal>
        <Base.Positioner align="start" sideOffset={4} className="z-50">
          <Base.Popup
            aria-label={label}
            className="max-w-(--available-width) rounded-md border border-line bg-raised p-3 shadow-popup"
          >
            {children}
          </Base.Popup>
        </Base.Positioner>
      </Base.Portal>
    </Base.Root>
  );
}
