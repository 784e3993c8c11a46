"use client";

import { ChevronDown } from "lucide-react";
import Link from "next/link";
import { useState } from "react";
import { Controller, useFormContext } from "react-hook-form";
import { useAffiliateOptions } from "#components/filters/option-sources.ts";
import { classNames } from "#components/ui/class-names.ts";
import { controlClass, Field } from "#components/ui/field.tsx";
import { type Option, OptionPicker } from "#components/ui/option-picker.tsx";
import type { EndpointCreate } from "#lib/endpoints/schema.ts";

export function AffiliateField() {
  const { control } = useFormContext<EndpointCreate>();
  const [chosen, setChosen] = useState<Option | null>(null);
  return (
    <Controller
      control={control}
      name="affiliate"
      render={({ field, fieldState }) => {
        const value =
          field.value === ""
            ? null
            : chosen?.value === field.value
              ? chosen
              : { value: field.value, label: field.value };
        return (
          <Field
            label="Affiliate"
            error={
              fieldState.error && field.value === ""
                ? "Choose the affiliate that owns it."
                : fieldState.error?.message
            }
            hint={
              <>
                Its events will be sent here. Not in the list?{" "}
                <Link href="/affiliates" className="underline underline-offset-2">
                  Add an affiliate
                </Link>
              </>
            }
          >
            {(ids) => (
              <OptionPicker
                noun="affiliate"
                value={value}
                onChange={(option) => {
                  setChosen(option);
                  field.onChange(option.value);
                }}
                useOptions={useAffiliateOptions}
                trigger={
                  <button
                    {...ids}
                    ref={field.ref}
                    type="button"
                    onBlur={field.onBlur}
                    className={classNames(controlClass, "flex items-center justify-between text-left")}
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
            )}
          </Field>
        );
      }}
    />
  );
}
