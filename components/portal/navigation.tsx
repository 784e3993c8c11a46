"use client";

import { BellRing, BookOpen, ChartLine, House, Send, Webhook } from "lucide-react";
import Link from "next/link";
import { usePathname } from "next/navigation";
import type { NavigationItem } from "#components/layout/navigation.tsx";
import { shortcuts } from "#components/layout/shortcuts.tsx";
import { classNames } from "#components/ui/class-names.ts";

/** An affiliate's pages, in the order of the menu. */
export const portalItems: readonly NavigationItem[] = [
  { href: "/portal", label: "Home", icon: House, shortcut: "go_overview" },
  { href: "/portal/endpoints", label: "Endpoints", icon: Webhook, shortcut: "go_endpoints" },
  { href: "/portal/deliveries", label: "Deliveries", icon: Send, shortcut: "go_deliveries" },
  { href: "/portal/history", label: "Latency", icon: ChartLine },
  { href: "/portal/notices", label: "Notices", icon: BellRing },
  { href: "/portal/guide", label: "Guide", icon: BookOpen },
];

/** In one line, which a phone has room for: there it has words alone. */
export function PortalNavigation() {
  const pathname = usePathname();
  return (
    <nav aria-label="Main" className="-mx-3 overflow-x-auto px-1 sm:-mx-2 sm:-mb-px sm:px-2">
      <ul className="flex sm:gap-1">
        {portalItems.map(({ href, label, icon: Icon, shortcut }) => {
          const isUnder = href !== "/portal" && pathname.startsWith(`${href}/`);
          const current = pathname === href || isUnder;
          return (
            <li key={href}>
              <Link
                href={href}
                aria-current={current ? "page" : undefined}
                {...(shortcut ? { title: `${label} (${shortcuts[shortcut].keys})` } : {})}
                className={classNames(
                  "flex h-10 items-center gap-2 border-b-2 px-1.5 whitespace-nowrap focus-visible:-outline-offset-2 max-sm:text-sm sm:px-2.5",
                  current
                    ? "border-focus font-medium text-ink"
                    : "border-transparent text-ink-2 hover:text-ink",
                )}
              >
                <Icon
                  aria-hidden
                  className={classNames("size-4 max-sm:hidden", current ? "text-focus" : "text-ink-3")}
                />
                {label}
              </Link>
            </li>
          );
        })}
      </ul>
    </nav>
  );
}
