"use client";

import { useRouter } from "next/navigation";
import {
  createContext,
  lazy,
  type ReactNode,
  Suspense,
  useContext,
  useEffect,
  useEffectEvent,
  useRef,
  useState,
  useSyncExternalStore,
} from "react";
import { Dialog, useWasOpen } from "#components/ui/lazy-dialog.tsx";
import { isAffiliate } from "#lib/auth/permissions.ts";
import { type Reader, useReaderIfAny } from "./reader.tsx";

/** The one list of keys: it feeds the listener, the tooltips and the sheet. */
export const shortcuts = {
  palette: { keys: "mod+k", label: "Go to anything" },
  search: { keys: "/", label: "Find by id or value" },
  go_overview: { keys: "g o", label: "Go to Overview" },
  go_endpoints: { keys: "g e", label: "Go to Endpoints" },
  go_deliveries: { keys: "g d", label: "Go to Deliveries" },
  go_dead_letters: { keys: "g l", label: "Go to Dead letters" },
  go_events: { keys: "g v", label: "Go to Events" },
  next_row: { keys: "j", label: "Next row, or the next delivery" },
  previous_row: { keys: "k", label: "Previous row, or the previous delivery" },
  open_row: { keys: "Enter", label: "Open the row" },
  select_row: { keys: "x", label: "Select the row" },
  select_range: { keys: "X", label: "Select all rows up to this one" },
  previous_page: { keys: "[", label: "Previous page" },
  next_page: { keys: "]", label: "Next page" },
  resend: { keys: "r", label: "Resend the delivery" },
  close: { keys: "Esc", label: "Close, leave a field, or clear the selection" },
  help: { keys: "?", label: "Show this list" },
} as const;

export type ShortcutName = keyof typeof shortcuts;

const groups: { title: string; names: ShortcutName[] }[] = [
  {
    title: "Anywhere",
    names: [
      "palette",
      "search",
      "go_overview",
      "go_endpoints",
      "go_deliveries",
      "go_dead_letters",
      "go_events",
      "close",
      "help",
    ],
  },
  {
    title: "In a list",
    names: [
      "next_row",
      "previous_row",
      "open_row",
      "select_row",
      "select_range",
      "previous_page",
      "next_page",
    ],
  },
  { title: "On a delivery", names: ["next_row", "previous_row", "resend"] },
];

/** The pages that have keys, for each kind of reader. */
const staffPages: Partial<Record<ShortcutName, string>> = {
  go_overview: "/overview",
  go_endpoints: "/endpoints",
  go_deliveries: "/deliveries",
  go_dead_letters: "/dead-letters",
  go_events: "/events",
};
const portalPages: Partial<Record<ShortcutName, string>> = {
  go_overview: "/portal",
  go_endpoints: "/portal/endpoints",
  go_deliveries: "/portal/deliveries",
};

function pagesFor(reader: Reader | null): Partial<Record<ShortcutName, string>> {
  if (reader === null) return {};
  return isAffiliate(reader) ? portalPages : staffPages;
}

const sequenceMs = 1_000;

type Handlers = Map<ShortcutName, () => void>;
type Context = { handlers: Handlers; showHelp: () => void; showPalette: () => void };
const HandlersContext = createContext<Context | null>(null);

/** Runs `handler`, if there is one, for the shortcut while the component is mounted. */
export function useShortcut(name: ShortcutName, handler: (() => void) | null): void {
  const context = useContext(HandlersContext);
  const run = useEffectEvent(() => handler?.());
  const isUsed = handler !== null;
  useEffect(() => {
    if (!context || !isUsed) return;
    const own = () => run();
    context.handlers.set(name, own);
    return () => {
      if (context.handlers.get(name) === own) context.handlers.delete(name);
    };
  }, [context, name, isUsed]);
}

export function useShortcutHelp(): () => void {
  return useContext(HandlersContext)?.showHelp ?? (() => {});
}

export function usePalette(): () => void {
  return useContext(HandlersContext)?.showPalette ?? (() => {});
}

const never = () => () => {};

/** The keys as this machine calls them: "⌘ K" or "Ctrl K". */
export function useKeyWords(name: ShortcutName): string {
  const isMac = useSyncExternalStore(
    never,
    () => navigator.platform.startsWith("Mac"),
    () => false,
  );
  const { keys } = shortcuts[name];
  return keys.startsWith("mod+") ? `${isMac ? "⌘" : "Ctrl"} ${keys.slice(4).toUpperCase()}` : keys;
}

function isTyping(target: EventTarget | null): target is HTMLElement {
  return (
    target instanceof HTMLElement &&
    (target.isContentEditable || target.matches("input:not([type=checkbox], [type=radio]), textarea, select"))
  );
}

export function ShortcutsProvider({ children }: { children: ReactNode }) {
  const router = useRouter();
  const reader = useReaderIfAny();
  const pages = pagesFor(reader);
  const [helpOpen, setHelpOpen] = useState(false);
  const [paletteOpen, setPaletteOpen] = useState(false);
  const [context] = useState<Context>(() => ({
    handlers: new Map(),
    showHelp: () => setHelpOpen(true),
    showPalette: () => setPaletteOpen(true),
  }));
  const pending = useRef({ key: "", atMs: 0 });

  const onKey = useEffectEvent((event: KeyboardEvent) => {
    // Some layouts need Alt or AltGr (which is Ctrl and Alt) to type a bracket.
    const command = event.metaKey || (event.ctrlKey && !event.getModifierState("AltGraph"));
    if (event.defaultPrevented || (command && event.key.toLowerCase() !== "k")) return;
    if (isTyping(event.target)) {
      if (event.key === "Escape") event.target.blur();
      return;
    }
    if (document.querySelector('[role="dialog"], [role="alertdialog"]')) return;
    const isSecond = pending.current.key !== "" && event.timeStamp - pending.current.atMs < sequenceMs;
    const key = event.key === "Escape" ? shortcuts.close.keys : event.key;
    const keys = command ? shortcuts.palette.keys : isSecond ? `${pending.current.key} ${key}` : key;
    pending.current = !isSecond && keys === "g" ? { key: "g", atMs: event.timeStamp } : { key: "", atMs: 0 };
    const name = (Object.keys(shortcuts) as ShortcutName[]).find(
      (candidate) => shortcuts[candidate].keys === keys,
    );
    const page = name && pages[name];
    const handler =
      page === undefined
        ? name && (builtIn[name] ?? context.handlers.get(name))
        : () => navigate(page, router.push);
    if (!handler) return;
    event.preventDefault();
    handler();
  });

  const builtIn: Partial<Record<ShortcutName, () => void>> = {
    help: context.showHelp,
    ...(reader === null ? {} : { palette: context.showPalette }),
  };

  useEffect(() => {
    const listener = (event: KeyboardEvent) => onKey(event);
    document.addEventListener("keydown", listener);
    return () => document.removeEventListener("keydown", listener);
  }, []);

  return (
    <HandlersContext value={context}>
      {children}
      <ShortcutSheet open={helpOpen} onOpenChange={setHelpOpen} />
      <PaletteWhenOpened open={paletteOpen} onOpenChange={setPaletteOpen} />
    </HandlersContext>
  );
}

/** Goes the way of a link, so that a form with unsaved changes can object. */
export function navigate(path: string, push: (path: string) => void) {
  const leaving = new CustomEvent("posthorn:leave", { cancelable: true });
  if (document.dispatchEvent(leaving)) push(path);
}

const Palette = lazy(async () => ({ default: (await import("./palette.tsx")).Palette }));

/** Its code is fetched when it first opens. */
function PaletteWhenOpened(props: { open: boolean; onOpenChange: (open: boolean) => void }) {
  return useWasOpen(props.open) ? (
    <Suspense fallback={null}>
      <Palette {...props} />
    </Suspense>
  ) : null;
}

function ShortcutSheet({ open, onOpenChange }: { open: boolean; onOpenChange: (open: boolean) => void }) {
  const pages = pagesFor(useReaderIfAny());
  const isUsable = (name: ShortcutName) => !name.startsWith("go_") || pages[name] !== undefined;
  return (
    <Dialog open={open} onOpenChange={onOpenChange} title="Keyboard shortcuts">
      <div className="flex flex-col gap-4">
        {groups.map((group) => (
          <section key={group.title} className="flex flex-col gap-1">
            <h3 className="font-medium text-ink-3 text-xs">{group.title}</h3>
            <dl>
              {group.names.filter(isUsable).map((name) => (
                <div
                  key={name}
                  className="flex items-center justify-between border-line border-b py-1.5 last:border-0"
                >
                  <dt>{shortcuts[name].label}</dt>
                  <dd className="flex gap-1">
                    <Keys name={name} />
                  </dd>
                </div>
              ))}
            </dl>
          </section>
        ))}
      </div>
    </Dialog>
  );
}

function Keys({ name }: { name: ShortcutName }) {
  return useKeyWords(name)
    .split(" ")
    .map((key) => <Kbd key={key}>{key}</Kbd>);
}

export function Kbd({ children }: { children: string }) {
  return (
    <kbd className="inline-flex h-5 min-w-5 items-center justify-center rounded border border-line bg-surface px-1 font-mono text-ink-2 text-xs">
      {children}
    </kbd>
  );
}
