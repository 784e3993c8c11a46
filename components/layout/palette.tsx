"use client";

import { useQuery } from "@tanstack/react-query";
import {
  Clock,
  CornerDownLeft,
  Hash,
  Keyboard,
  type LucideIcon,
  Moon,
  Sun,
  Users,
  Webhook,
} from "lucide-react";
import { useRouter } from "next/navigation";
import { useTheme } from "next-themes";
import { type KeyboardEvent, useId, useState } from "react";
import { useSettled } from "#components/filters/settled.ts";
import { classNames } from "#components/ui/class-names.ts";
import { Dialog } from "#components/ui/dialog.tsx";
import { controlClass } from "#components/ui/field.tsx";
import { affiliateListOptions } from "#lib/affiliates/client.ts";
import { endpointListOptions } from "#lib/endpoints/client.ts";
import { maxSearchableLength } from "#lib/search/limits.ts";
import { find, hitPath, hitWords } from "./find.ts";
import { useNavigationItems } from "./navigation.tsx";
import { setPreferences, usePreferences } from "./preferences.ts";
import { useIsAffiliate, usePlace } from "./reader.tsx";
import { Kbd, navigate, shortcuts, useShortcutHelp } from "./shortcuts.tsx";

type Item = { id: string; label: string; detail?: string; keys?: string; icon: LucideIcon; run: () => void };
type Group = { name: string; items: Item[] };

const perKind = 5;

type PaletteProps = { open: boolean; onOpenChange: (open: boolean) => void };

/** One field that leads to every page, endpoint, affiliate and id. */
export function Palette({ open, onOpenChange }: PaletteProps) {
  return (
    <Dialog open={open} onOpenChange={onOpenChange} title="Go to anything" className="gap-3 p-3 pt-4">
      <Choices close={() => onOpenChange(false)} />
    </Dialog>
  );
}

function Choices({ close }: { close: () => void }) {
  const listId = useId();
  const forStaff = !useIsAffiliate();
  const [text, setText] = useState("");
  /** By its id, since what is found comes in above what stands there. */
  const [activeId, setActiveId] = useState<string | null>(null);
  const { groups, loading, error } = useGroups(text.trim(), close);
  const items = groups.flatMap((group) => group.items);
  const active = Math.max(
    0,
    items.findIndex(({ id }) => id === activeId),
  );
  const current = items[active];
  const optionId = (item: Item) => `${listId} ${items.indexOf(item)}`.replaceAll(" ", "-");
  const onKeyDown = (event: KeyboardEvent) => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step === undefined && event.key !== "Enter") return;
    event.preventDefault();
    if (step === undefined) current?.run();
    else if (items.length > 0) {
      const next = (active + step + items.length) % items.length;
      setActiveId(items[next]?.id ?? null);
      document.getElementById(`${listId}-${next}`)?.scrollIntoView({ block: "nearest" });
    }
  };
  const status = error ? "Not everything could be searched." : loading ? "Searching…" : null;
  return (
    <>
      <input
        role="combobox"
        aria-expanded
        aria-controls={listId}
        aria-autocomplete="list"
        aria-activedescendant={current ? optionId(current) : undefined}
        aria-label={forStaff ? "Page, endpoint, affiliate or id" : "Page or endpoint"}
        placeholder={forStaff ? "Page, endpoint, affiliate, or any id" : "Page or endpoint"}
        maxLength={maxSearchableLength}
        autoComplete="off"
        spellCheck={false}
        value={text}
        onChange={(event) => {
          setText(event.target.value);
          setActiveId(null);
        }}
        onKeyDown={onKeyDown}
        className={controlClass}
      />
      <p role="status" className="px-1 text-ink-3 empty:hidden">
        {status ??
          (items.length === 0
            ? forStaff
              ? "Nothing is called so, and nothing has this id."
              : "Nothing is called so."
            : null)}
      </p>
      <div
        id={listId}
        role="listbox"
        aria-label="What it leads to"
        className="-mx-1 max-h-[50vh] overflow-y-auto"
      >
        {groups.map((group) => (
          // biome-ignore lint/a11y/useSemanticElements: a fieldset groups controls, not options
          <div key={group.name} role="group" aria-label={group.name} className="pb-1">
            <p aria-hidden className="px-2 py-1 font-medium text-ink-3 text-xs">
              {group.name}
            </p>
            {group.items.map((item) => (
              <Choice
                key={item.id}
                id={optionId(item)}
                item={item}
                isActive={item === current}
                onReach={() => setActiveId(item.id)}
              />
            ))}
          </div>
        ))}
      </div>
    </>
  );
}

type ChoiceProps = { id: string; item: Item; isActive: boolean; onReach: () => void };

/** The field keeps the focus; what is marked here runs with Enter. */
function Choice({ id, item, isActive, onReach }: ChoiceProps) {
  const { icon: Icon } = item;
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: the field has the keys
    // biome-ignore lint/a11y/useFocusableInteractive: the field names it as its active descendant
    <div
      id={id}
      role="option"
      aria-selected={isActive}
      onClick={item.run}
      onPointerMove={onReach}
      className={classNames(
        "flex min-h-8 cursor-pointer items-center gap-2.5 rounded-md px-2",
        isActive && "bg-hover",
      )}
    >
      <Icon aria-hidden className="size-4 shrink-0 text-ink-3" />
      <span className="truncate">{item.label}</span>
      {item.detail ? (
        <span className="min-w-0 truncate font-mono text-ink-3 text-xs">{item.detail}</span>
      ) : null}
      <span aria-hidden className="ml-auto flex shrink-0 gap-1">
        {item.keys ? item.keys.split(" ").map((key) => <Kbd key={key}>{key}</Kbd>) : null}
        {isActive ? <CornerDownLeft className="size-4 text-ink-3" /> : null}
      </span>
    </div>
  );
}

/** What is there for the text: pages and commands at once, the rest once typing pauses. */
function useGroups(
  text: string,
  close: () => void,
): { groups: Group[]; loading: boolean; error: Error | null } {
  const router = useRouter();
  const place = usePlace();
  const forStaff = !useIsAffiliate();
  const go = (path: string) => () => {
    close();
    navigate(path, router.push);
  };
  const q = useSettled(text);
  const enabled = q !== "";
  const endpoints = useQuery({ ...endpointListOptions({ q, limit: perKind }), enabled });
  const affiliates = useQuery({
    ...affiliateListOptions({ q, limit: perKind }),
    enabled: enabled && forStaff,
  });
  const found = useQuery({
    // It may be somebody's click id: forgotten as soon as the palette lets go of it.
    queryKey: ["find", q] as const,
    queryFn: ({ signal }) => find(q, signal),
    enabled: enabled && forStaff,
    gcTime: 0,
  });
  const isCurrent = q === text && enabled;
  const commands = useCommands(close);
  const fits = ({ label }: Item) => label.toLowerCase().includes(text.toLowerCase());
  const pages: Item[] = useNavigationItems().map(({ href, label, icon, shortcut }) => ({
    id: href,
    label,
    icon,
    ...(shortcut ? { keys: shortcuts[shortcut].keys } : {}),
    run: go(href),
  }));
  const groups: Group[] = [
    { name: "Pages", items: pages.filter(fits) },
    {
      name: "Found",
      items: (isCurrent ? (found.data?.data ?? []) : []).map((hit) => ({
        id: `${hit.kind} ${hit.id}`,
        label: hitWords[hit.kind].label,
        icon: Hash,
        run: go(hitPath(hit)),
      })),
    },
    {
      name: "Endpoints",
      items: (isCurrent ? (endpoints.data?.data ?? []) : []).map(({ id, name, affiliate }) => ({
        id,
        label: name,
        ...(forStaff ? { detail: affiliate.key } : {}),
        icon: Webhook,
        run: go(place(`/endpoints/${id}`)),
      })),
    },
    {
      name: "Affiliates",
      items: (isCurrent ? (affiliates.data?.data ?? []) : []).map(({ key, name }) => ({
        id: `affiliate ${key}`,
        label: name,
        detail: key,
        icon: Users,
        run: go(`/affiliates/${key}`),
      })),
    },
    { name: "This page", items: commands.filter(fits) },
  ];
  return {
    groups: groups.filter(({ items }) => items.length > 0),
    loading: text !== "" && (!isCurrent || endpoints.isFetching || affiliates.isFetching || found.isFetching),
    error: endpoints.error ?? affiliates.error ?? found.error,
  };
}

function useCommands(close: () => void): Item[] {
  const { resolvedTheme, setTheme } = useTheme();
  const { zone } = usePreferences();
  const showHelp = useShortcutHelp();
  const isDark = resolvedTheme === "dark";
  const closing = (run: () => void) => () => {
    close();
    run();
  };
  return [
    {
      id: "theme",
      label: isDark ? "Light theme" : "Dark theme",
      icon: isDark ? Sun : Moon,
      run: closing(() => setTheme(isDark ? "light" : "dark")),
    },
    {
      id: "zone",
      label: zone === "utc" ? "Times in your own zone" : "Times in UTC",
      icon: Clock,
      run: closing(() => setPreferences({ zone: zone === "utc" ? "local" : "utc" })),
    },
    {
      id: "help",
      label: "Keyboard shortcuts",
      icon: Keyboard,
      keys: shortcuts.help.keys,
      run: closing(showHelp),
    },
  ];
}
