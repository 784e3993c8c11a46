"use client";

import { Menu, SquareTerminal } from "lucide-react";
import Link from "next/link";
import { lazy, type ReactNode, Suspense, useState } from "react";
import { IconButton } from "#components/ui/icon-button.tsx";
import { useWasOpen } from "#components/ui/lazy-dialog.tsx";
import { Brand } from "./brand.tsx";
import { FindBox } from "./find-box.tsx";
import { Navigation } from "./navigation.tsx";
import { LivePicker, Settings } from "./settings.tsx";
import { shortcuts, useKeyWords, usePalette } from "./shortcuts.tsx";
import { UserMenu } from "./user-menu.tsx";

const MenuDrawer = lazy(async () => ({ default: (await import("./menu-drawer.tsx")).MenuDrawer }));

/** The frame of every staff page: sidebar, top bar, and the page itself. */
export function Shell({ children }: { children: ReactNode }) {
  return (
    <div className="min-h-dvh lg:grid lg:grid-cols-[13rem_minmax(0,1fr)]">
      <a
        href="#main"
        className="sr-only focus:not-sr-only focus:fixed focus:top-2 focus:left-2 focus:z-50 focus:rounded-md focus:bg-ink focus:px-3 focus:py-2 focus:text-canvas"
      >
        Skip to the content
      </a>
      <aside className="sticky top-0 hidden h-dvh flex-col gap-4 border-line border-r bg-surface p-3 lg:flex">
        <Link href="/overview" className="rounded-md px-1 py-1">
          <Brand />
        </Link>
        <Navigation />
        <div className="mt-auto flex flex-col gap-2">
          <UserMenu />
          <Settings />
        </div>
      </aside>
      <div className="flex min-w-0 flex-col">
        <header className="sticky top-0 z-20 border-line border-b bg-canvas">
          <div className="flex h-12 items-center gap-2 px-4 lg:px-6">
            <MenuButton />
            <FindBox />
            <PaletteButton />
            <div className="ml-auto flex items-center">
              <LivePicker />
            </div>
          </div>
        </header>
        <main id="main" tabIndex={-1} className="flex-1 px-4 py-5 focus:outline-none lg:px-6">
          {children}
        </main>
      </div>
    </div>
  );
}

function PaletteButton() {
  const keys = useKeyWords("palette");
  return (
    <IconButton label={shortcuts.palette.label} keys={keys} onClick={usePalette()}>
      <SquareTerminal aria-hidden />
    </IconButton>
  );
}

function MenuButton() {
  const [open, setOpen] = useState(false);
  const wasOpen = useWasOpen(open);
  return (
    <>
      <IconButton label="Menu" aria-expanded={open} onClick={() => setOpen(true)} className="-ml-2 lg:hidden">
        <Menu aria-hidden />
      </IconButton>
      {wasOpen ? (
        <Suspense fallback={null}>
          <MenuDrawer open={open} onOpenChange={setOpen} />
        </Suspense>
      ) : null}
    </>
  );
}
