"use client";

import { Dialog } from "@base-ui/react/dialog";
import { X } from "lucide-react";
import { Brand } from "./brand.tsx";
import { Navigation } from "./navigation.tsx";
import { Settings } from "./settings.tsx";
import { UserMenu } from "./user-menu.tsx";

type MenuDrawerProps = { open: boolean; onOpenChange: (open: boolean) => void };

/** The sidebar where there is no room for one. */
export function MenuDrawer({ open, onOpenChange }: MenuDrawerProps) {
  return (
    <Dialog.Root open={open} onOpenChange={onOpenChange}>
      <Dialog.Portal>
        <Dialog.Backdrop className="fixed inset-0 z-40 bg-scrim lg:hidden" />
        <Dialog.Popup className="fixed inset-y-0 left-0 z-50 flex w-64 max-w-[80vw] flex-col gap-4 border-line border-r bg-surface p-3 shadow-popup lg:hidden">
          <div className="flex items-center justify-between">
            <Dialog.Title className="px-1">
              <Brand />
            </Dialog.Title>
            <Dialog.Close
              aria-label="Close the menu"
              className="inline-flex size-8 items-center justify-center rounded-md text-ink-2 hover:bg-hover hover:text-ink"
            >
              <X aria-hidden className="size-4" />
            </Dialog.Close>
          </div>
          <Navigation onNavigate={() => onOpenChange(false)} />
          <div className="mt-auto flex flex-col gap-2">
            <UserMenu onNavigate={() => onOpenChange(false)} />
            <Settings />
          </div>
        </Dialog.Popup>
      </Dialog.Portal>
    </Dialog.Root>
  );
}
