"use client";

import { type KeyboardEvent, useState } from "react";
import { useTimeZone } from "#components/layout/preferences.ts";
import { classNames } from "#components/ui/class-names.ts";
import { controlClass } from "#components/ui/field.tsx";

type TimeFilterProps = { label: string; iso: string | null; onChange: (iso: string | null) => void };

/** A filter by time, to the minute and in the page's zone; it holds once it is left, or Enter is pressed. */
export function TimeFilter({ label, iso, onChange }: TimeFilterProps) {
  const isUtc = useTimeZone() === "UTC";
  const [draft, setDraft] = useState<string | null>(null);
  const applied = iso === null ? "" : toInputText(iso, isUtc);
  const apply = () => {
    if (draft !== null && draft !== applied) onChange(draft === "" ? null : toIso(draft, isUtc));
    setDraft(null);
  };
  return (
    <label className="inline-flex h-7 items-center gap-1.5 text-ink-2 text-xs">
      {label}
      <input
        type="datetime-local"
        value={draft ?? applied}
        onChange={(event) => setDraft(event.target.value)}
        onBlur={apply}
        onKeyDown={(event: KeyboardEvent) => {
          if (event.key === "Enter") apply();
        }}
        className={classNames(controlClass, "h-7 w-auto border-line px-2 text-xs hover:border-control-line")}
      />
    </label>
  );
}

/** Empty for what is no time: the server's answer then says what is wrong with the address. */
function toInputText(iso: string, isUtc: boolean): string {
  const timeMs = Date.parse(iso);
  if (Number.isNaN(timeMs)) return "";
  const offsetMs = isUtc ? 0 : new Date(timeMs).getTimezoneOffset() * 60_000;
  return new Date(timeMs - offsetMs).toISOString().slice(0, 16);
}

function toIso(text: string, isUtc: boolean): string | null {
  const timeMs = Date.parse(isUtc ? `${text}Z` : text);
  return Number.isNaN(timeMs) ? null : new Date(timeMs).toISOString();
}
