"use client";

import { ChevronDown } from "lucide-react";
import { type ComponentProps, useState } from "react";
import { classNames } from "#components/ui/class-names.ts";
import { controlClass } from "#components/ui/field.tsx";
import { type Option, OptionPicker } from "#components/ui/option-picker.tsx";
import { useAffiliateOptions } from "./option-sources.ts";

type AffiliateSelectProps = Omit<ComponentProps<"button">, "value" | "onChange" | "type"> & {
  /** Its key; null or empty while none is chosen. */
  value: string | null;
  onChange: (key: string) => void;
};

/** One affiliate, as a form's control. */
export function AffiliateSelect({ value: key, onChange, className, ...rest }: AffiliateSelectProps) {
  const [chosen, setChosen] = useState<Option | null>(null);
  const value = !key ? null : chosen?.value === key ? chosen : { value: key, label: key };
  return (
    <OptionPicker
      noun="affiliate"
      value={value}
      onChange={(option) => {
        setChosen(option);
        onChange(option.value);
      }}
      useOptions={useAffiliateOptions}
      trigger={
        <button
          {...rest}
          type="button"
          className={classNames(controlClass, "flex items-center justify-between text-left", className)}
        >
          {value ? (
            <span className="truncate">
              {value.label} <span className="font-mono text-ink-3 text-xs">{value.detail}</span>
            </span>
          ) : (
            <span className="text-ink-3">Choose an affiliate</span>
          )}
          <ChevronDown aria-hidden className="size-4 shrink-0 text-ink-3" />
        </button>
      }
    />
  );
}
