"use client";

import {
  Activity,
  BellRing,
  BookText,
  CircleUser,
  Inbox,
  KeyRound,
  ListOrdered,
  type LucideIcon,
  MailX,
  RotateCw,
  ScrollText,
  Send,
  ShieldCheck,
  Users,
  Webhook,
} from "lucide-react";
import Link from "next/link";
import { usePathname } from "next/navigation";
import { portalItems } from "#components/portal/navigation.tsx";
import { classNames } from "#components/ui/class-names.ts";
import { pageVerb } from "#lib/auth/page-verbs.ts";
import { can, isAffiliate } from "#lib/auth/permissions.ts";
import { useReader } from "./reader.tsx";
import { type ShortcutName, shortcuts } from "./shortcuts.tsx";

export type NavigationItem = { href: string; label: string; icon: LucideIcon; shortcut?: ShortcutName };

const items: NavigationItem[] = [
  { href: "/overview", label: "Overview", icon: Activity, shortcut: "go_overview" },
  { href: "/endpoints", label: "Endpoints", icon: Webhook, shortcut: "go_endpoints" },
  { href: "/deliveries", label: "Deliveries", icon: Send, shortcut: "go_deliveries" },
  { href: "/dead-letters", label: "Dead letters", icon: MailX, shortcut: "go_dead_letters" },
  { href: "/queue", label: "Queue", icon: ListOrdered },
  { href: "/requeues", label: "Requeues", icon: RotateCw },
  { href: "/alerts", label: "Alerts", icon: BellRing },
  { href: "/events", label: "Events", icon: Inbox, shortcut: "go_events" },
  { href: "/affiliates", label: "Affiliates", icon: Users },
  { href: "/event-types", label: "Event types", icon: BookText },
  { href: "/approvals", label: "Approvals", icon: ShieldCheck },
  { href: "/audit", label: "Audit log", icon: ScrollText },
  { href: "/settings/api-keys", label: "API keys", icon: KeyRound },
  { href: "/settings/users", label: "Users", icon: CircleUser },
];

/** The pages that whoever reads this may see. */
export function useNavigationItems(): readonly NavigationItem[] {
  const reader = useReader();
  if (isAffiliate(reader)) return portalItems;
  return items.filter(({ href }) => {
    const verb = pageVerb(href);
    return verb === null || can(reader, verb) === null;
  });
}

export function Navigation({ onNavigate }: { onNavigate?: () => void }) {
  const pathname = usePathname();
  const shown = useNavigationItems();
  return (
    <nav aria-label="Main">
      <ul className="flex flex-col gap-0.5">
        {shown.map(({ href, label, icon: Icon, shortcut }) => {
          const current = pathname === href || pathname.startsWith(`${href}/`);
          return (
            <li key={href}>
              <Link
                href={href}
                onClick={() => onNavigate?.()}
                aria-current={current ? "page" : undefined}
                {...(shortcut ? { title: `${label} (${shortcuts[shortcut].keys})` } : {})}
                className={classNames(
                  "flex h-8 items-center gap-2.5 rounded-md px-2 text-ink-2 hover:bg-hover hover:text-ink",
                  current && "bg-hover font-medium text-ink",
                )}
              >
                <Icon aria-hidden className={classNames("size-4", current ? "text-focus" : "text-ink-3")} />
                {label}
              </Link>
            </li>
          );
        })}
      </ul>
    </nav>
  );
}
