"use client";

import { Keyboard, Monitor, Moon, RefreshCw, Sun } from "lucide-react";
import { useTheme } from "next-themes";
import { useSyncExternalStore } from "react";
import { classNames } from "#components/ui/class-names.ts";
import { liveChoicesSeconds, setPreferences, usePreferences } from "./preferences.ts";
import { shortcuts, useShortcutHelp } from "./shortcuts.tsx";

const themes = [
  { value: "light", label: "Light theme", icon: Sun },
  { value: "dark", label: "Dark theme", icon: Moon },
  { value: "system", label: "Theme of the system", icon: Monitor },
];

const never = () => () => {};

/** The chosen theme is known only in the browser; before that none is marked. */
function ThemeSwitch() {
  const { theme, setTheme } = useTheme();
  const mounted = useSyncExternalStore(
    never,
    () => true,
    () => false,
  );
  return (
    <fieldset className="flex rounded-md border border-line p-0.5">
      <legend className="sr-only">Theme</legend>
      {themes.map(({ value, label, icon: Icon }) => (
        <button
          key={value}
          type="button"
          aria-label={label}
          title={label}
          aria-pressed={mounted && theme === value}
          onClick={() => setTheme(value)}
          className={segment}
        >
          <Icon aria-hidden className="size-3.5" />
        </button>
      ))}
    </fieldset>
  );
}

const segment =
  "inline-flex h-6 flex-1 items-center justify-center rounded px-2 text-ink-3 text-xs hover:text-ink aria-pressed:bg-hover aria-pressed:font-medium aria-pressed:text-ink";

function ZoneSwitch() {
  const { zone } = usePreferences();
  return (
    <fieldset className="flex rounded-md border border-line p-0.5">
      <legend className="sr-only">Time zone of all times</legend>
      {(["local", "utc"] as const).map((value) => (
        <button
          key={value}
          type="button"
          aria-pressed={zone === value}
          onClick={() => setPreferences({ zone: value })}
          className={segment}
        >
          {value === "local" ? "Local" : "UTC"}
        </button>
      ))}
    </fieldset>
  );
}

/** How pages look to this reader, and the list of keys. */
export function Settings() {
  const showHelp = useShortcutHelp();
  return (
    <div className="flex flex-col gap-2">
      <ThemeSwitch />
      <ZoneSwitch />
      <button
        type="button"
        onClick={showHelp}
        className="flex h-8 items-center gap-2.5 rounded-md px-2 text-ink-2 hover:bg-hover hover:text-ink"
      >
        <Keyboard aria-hidden className="size-4 text-ink-3" />
        Shortcuts
        <kbd className="ml-auto font-mono text-ink-3 text-xs">{shortcuts.help.keys}</kbd>
      </button>
    </div>
  );
}

/** How often lists and numbers refresh by themselves. */
export function LivePicker() {
  const { liveSeconds } = usePreferences();
  return (
    <label className="flex h-8 shrink-0 items-center gap-1.5 text-ink-2 text-xs">
      <RefreshCw aria-hidden className={classNames("size-3.5", liveSeconds > 0 ? "text-ok" : "text-ink-3")} />
      <span className="max-sm:sr-only">Refresh</span>
      <select
        value={liveSeconds}
        onChange={(event) => setPreferences({ liveSeconds: Number(event.target.value) })}
        className="h-7 rounded-md border border-line bg-canvas px-1 text-xs"
      >
        {liveChoicesSeconds.map((seconds) => (
          <option key={seconds} value={seconds}>
            {seconds === 0 ? "Off" : `${seconds} s`}
          </option>
        ))}
      </select>
    </label>
  );
}
