"use client";

import { type KeyboardEvent, useState } from "react";
import { FormChip } from "#components/data-table/filter-bar.tsx";
import { classNames } from "#components/ui/class-names.ts";
import { controlClass } from "#components/ui/field.tsx";

type Range = { min: string | null; max: string | null };

/** How many attempts were made, as one filter. */
export function AttemptsFilter({ min, max, onChange }: Range & { onChange: (range: Range) => void }) {
  return (
    <FormChip
      name="Attempts"
      value={attemptsWords({ min, max })}
      onRemove={() => onChange({ min: null, max: null })}
    >
      <div className="flex items-center gap-3">
        <CountInput label="At least" value={min} onChange={(value) => onChange({ min: value, max })} />
        <CountInput label="At most" value={max} onChange={(value) => onChange({ min, max: value })} />
      </div>
    </FormChip>
  );
}

/** "2 to 4", "at least 2"; null for any number. */
export function attemptsWords({ min, max }: Range): string | null {
  if (min !== null && max !== null) return min === max ? `exactly ${min}` : `${min} to ${max}`;
  if (min !== null) return `at least ${min}`;
  return max === null ? null : `at most ${max}`;
}

type CountInputProps = { label: string; value: string | null; onChange: (value: string | null) => void };

/** Holds once it is left, or Enter is pressed. */
function CountInput({ label, value, onChange }: CountInputProps) {
  const [draft, setDraft] = useState<string | null>(null);
  const apply = () => {
    if (draft !== null && draft !== (value ?? "")) onChange(draft === "" ? null : draft);
    setDraft(null);
  };
  return (
    <label className="inline-flex items-center gap-1.5 text-ink-2 text-xs">
      {label}
      <input
        type="number"
        min={0}
        value={draft ?? value ?? ""}
        onChange={(event) => setDraft(event.target.value)}
        onBlur={apply}
        onKeyDown={(event: KeyboardEvent) => {
          if (event.key === "Enter") apply();
        }}
        className={classNames(controlClass, "h-7 w-16 px-2 text-xs")}
      />
    </label>
  );
}
