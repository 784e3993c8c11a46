"use client";

import { Controller, useFormContext } from "react-hook-form";
import { Radio } from "#components/ui/field.tsx";
import { orderingLabels, orderingSentences, orderings } from "#lib/vocabulary.ts";
import type { EndpointSettings } from "./form-types.ts";

export function OrderingField() {
  const { control } = useFormContext<EndpointSettings>();
  return (
    <Controller
      control={control}
      name="ordering"
      render={({ field }) => (
        <fieldset className="flex flex-col gap-1.5">
          <legend className="mb-1 font-medium text-sm">Order</legend>
          {orderings.map((ordering) => (
            <Radio
              key={ordering}
              name="ordering"
              checked={field.value === ordering}
              onChange={() => field.onChange(ordering)}
              hint={orderingSentences[ordering]}
            >
              {orderingLabels[ordering]}
            </Radio>
          ))}
        </fieldset>
      )}
    />
  );
}
