"use client";

import { Search } from "lucide-react";
import { useEffect, useState } from "react";
import { classNames } from "#components/ui/class-names.ts";
import { controlClass } from "#components/ui/field.tsx";

const settleMs = 250;

type TextFilterProps = {
  label: string;
  placeholder: string;
  value: string | null;
  onChange: (value: string | null) => void;
};

/** A filter by text; the URL follows once typing pauses. */
export function TextFilter({ label, placeholder, value, onChange }: TextFilterProps) {
  const [text, setText] = useState(value ?? "");
  const [applied, setApplied] = useState(value);
  // Cleared elsewhere, or the reader went back.
  if (value !== applied) {
    setApplied(value);
    setText(value ?? "");
  }
  useEffect(() => {
    const wanted = text.trim() || null;
    if (wanted === applied) return;
    const timer = setTimeout(() => {
      setApplied(wanted);
      onChange(wanted);
    }, settleMs);
    return () => clearTimeout(timer);
  }, [text, applied, onChange]);
  return (
    <span className="relative w-56 max-w-full">
      <Search aria-hidden className="pointer-events-none absolute top-1.5 left-2 size-4 text-ink-3" />
      <input
        type="search"
        aria-label={label}
        placeholder={placeholder}
        value={text}
        maxLength={200}
        onChange={(event) => setText(event.target.value)}
        className={classNames(controlClass, "h-7 border-line pl-7 text-xs hover:border-control-line")}
      />
    </span>
  );
}
