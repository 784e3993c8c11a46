"use client";

import { ChevronDown, X } from "lucide-react";
import type { ReactNode } from "react";
import { classNames } from "#components/ui/class-names.ts";
import { Popover } from "#components/ui/lazy-popover.tsx";
import { type Option, OptionPicker, type OptionSource } from "#components/ui/option-picker.tsx";

type FilterChipProps = {
  name: string;
  value: Option | null;
  onChange: (value: string | null) => void;
  useOptions: OptionSource;
};

/** A filter: a button that opens its choices, and once set, its value with a button that removes it. */
export function FilterChip({ name, value, onChange, useOptions }: FilterChipProps) {
  return (
    <Chip name={name} isSet={value !== null} onRemove={() => onChange(null)}>
      <OptionPicker
        noun={name.toLowerCase()}
        value={value}
        onChange={(option) => onChange(option.value)}
        useOptions={useOptions}
        trigger={chipButton(name, value?.label ?? null)}
      />
    </Chip>
  );
}

type MultiFilterChipProps = {
  name: string;
  values: Option[];
  onChange: (values: string[] | null) => void;
  useOptions: OptionSource;
};

/** The same for a filter that several values may have at once. */
export function MultiFilterChip({ name, values, onChange, useOptions }: MultiFilterChipProps) {
  const label = values.map((option) => option.label).join(", ");
  return (
    <Chip name={name} isSet={values.length > 0} onRemove={() => onChange(null)}>
      <OptionPicker
        noun={name.toLowerCase()}
        values={values}
        onChange={(options) => onChange(options.length > 0 ? options.map(({ value }) => value) : null)}
        useOptions={useOptions}
        trigger={chipButton(name, label || null)}
      />
    </Chip>
  );
}

type FormChipProps = {
  name: string;
  /** In words; null while it is not set. */
  value: string | null;
  onRemove: () => void;
  /** What opens below the button. */
  children: ReactNode;
};

/** A filter whose value is written rather than chosen: a span of time, a number. */
export function FormChip({ name, value, onRemove, children }: FormChipProps) {
  return (
    <Chip name={name} isSet={value !== null} onRemove={onRemove}>
      <Popover label={name} trigger={chipButton(name, value)}>
        {children}
      </Popover>
    </Chip>
  );
}

type ChipProps = { name: string; isSet: boolean; onRemove: () => void; children: ReactNode };

function Chip({ name, isSet, onRemove, children }: ChipProps) {
  return (
    <span
      className={classNames(
        "inline-flex h-7 max-w-full items-center rounded-full border text-xs",
        isSet ? "border-control-line bg-surface" : "border-line",
      )}
    >
      {children}
      {isSet ? <RemoveButton name={name} onRemove={onRemove} /> : null}
    </span>
  );
}

function chipButton(name: string, value: string | null) {
  return (
    <button
      type="button"
      aria-label={value ? `${name}: ${value}` : name}
      className={classNames(
        "inline-flex h-full min-w-0 items-center gap-1 rounded-full pl-3",
        value ? "pr-1" : "pr-2",
      )}
    >
      {value ? (
        <span className="truncate">
          {name}: <strong className="font-medium">{value}</strong>
        </span>
      ) : (
        <>
          <span className="text-ink-2">{name}</span>
          <ChevronDown aria-hidden className="size-3.5 text-ink-3" />
        </>
      )}
    </button>
  );
}

type FixedChipProps = { name: string; value: string; onRemove: () => void };

/** A filter that only a link sets, such as one event. */
export function FixedChip({ name, value, onRemove }: FixedChipProps) {
  return (
    <span className="inline-flex h-7 max-w-full items-center rounded-full border border-control-line bg-surface pl-3 text-xs">
      <span className="truncate">
        {name}: <strong className="font-medium">{value}</strong>
      </span>
      <RemoveButton name={name} onRemove={onRemove} />
    </span>
  );
}

function RemoveButton({ name, onRemove }: { name: string; onRemove: () => void }) {
  return (
    <button
      type="button"
      aria-label={`Remove the filter ${name}`}
      onClick={onRemove}
      className="mr-0.5 inline-flex size-6 shrink-0 items-center justify-center rounded-full text-ink-3 hover:bg-hover hover:text-ink"
    >
      <X aria-hidden className="size-3.5" />
    </button>
  );
}

type FilterBarProps = { active: number; onClear: () => void; children: ReactNode };

export function FilterBar({ active, onClear, children }: FilterBarProps) {
  return (
    <fieldset className="mb-3 flex flex-wrap items-center gap-2">
      <legend className="sr-only">Filters</legend>
      {children}
      {active > 0 ? (
        <button
          type="button"
          onClick={onClear}
          className="h-7 px-2 text-ink-2 text-xs hover:text-ink hover:underline"
        >
          Clear
        </button>
      ) : null}
    </fieldset>
  );
}
