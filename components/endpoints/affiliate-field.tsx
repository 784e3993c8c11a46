"use client";

import Link from "next/link";
import { Controller, useFormContext } from "react-hook-form";
import { AffiliateSelect } from "#components/filters/affiliate-select.tsx";
import { Field } from "#components/ui/field.tsx";
import type { EndpointCreate } from "#lib/endpoints/schema.ts";

export function AffiliateField() {
  const { control } = useFormContext<EndpointCreate>();
  return (
    <Controller
      control={control}
      name="affiliate"
      render={({ field, fieldState }) => (
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
            <AffiliateSelect
              {...ids}
              ref={field.ref}
              value={field.value}
              onChange={field.onChange}
              onBlur={field.onBlur}
            />
          )}
        </Field>
      )}
    />
  );
}
