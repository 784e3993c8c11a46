"use client";

import Link from "next/link";
import type { ReactNode } from "react";
import { PortalNavigation } from "#components/portal/navigation.tsx";
import { ViewBar } from "#components/view-as/view-bar.tsx";
import { Brand } from "./brand.tsx";
import { LivePicker, Settings } from "./settings.tsx";
import { UserMenu } from "./user-menu.tsx";

/** The frame of an affiliate's pages; one column, so that it also works on a phone. */
export function PortalShell({ children }: { children: ReactNode }) {
  return (
    <div className="mx-auto flex min-h-dvh w-full max-w-6xl flex-col px-4 lg:px-6">
      <a
        href="#main"
        className="sr-only focus:not-sr-only focus:fixed focus:top-2 focus:left-2 focus:z-50 focus:rounded-md focus:bg-ink focus:px-3 focus:py-2 focus:text-canvas"
      >
        Skip to the content
      </a>
      <ViewBar />
      <header className="border-line border-b">
        <div className="flex flex-wrap items-center gap-x-4 gap-y-1 pt-2">
          <Link href="/portal" className="rounded-md px-1 py-1">
            <Brand />
          </Link>
          <div className="ml-auto flex min-w-0 items-center gap-1 sm:gap-3">
            <div className="max-sm:hidden">
              <LivePicker />
            </div>
            <UserMenu />
          </div>
        </div>
        <PortalNavigation />
      </header>
      <main id="main" tabIndex={-1} className="flex-1 py-5 focus:outline-none">
        {children}
      </main>
      <footer className="max-w-56 border-line border-t py-4">
        {/* A phone has no room for it above. */}
        <div className="mb-2 sm:hidden">
          <LivePicker />
        </div>
        <Settings />
      </footer>
    </div>
  );
}
