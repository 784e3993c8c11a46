"use client";

import { useId, useState } from "react";
import { useFormContext, useWatch } from "react-hook-form";
import { Field, FieldError, Input, Radio, Select } from "#components/ui/field.tsx";
import { defaultBurst, ratePeriods } from "#lib/delivery/token-bucket.ts";
import { type EndpointSettings, useFieldMessage } from "./form-types.ts";

const firstLimit = { amount: 10, per: "second" } as const;

export function RateLimitField() {
  const { setValue, formState } = useFormContext<EndpointSettings>();
  const limit = useWatch<EndpointSettings, "rate_limit">({ name: "rate_limit" });
  // Kept while "No limit" is chosen, so that looking at the other choice loses nothing.
  const [lastLimit, setLastLimit] = useState<EndpointSettings["rate_limit"]>(limit ?? firstLimit);
  const errorId = useId();
  const message = useFieldMessage("rate_limit");
  const choose = (limited: boolean) => {
    if (!limited) setLastLimit(limit);
    setValue("rate_limit", limited ? lastLimit : null, {
      shouldDirty: true,
      shouldValidate: formState.isSubmitted,
    });
  };
  return (
    <fieldset aria-describedby={message ? errorId : undefined} className="flex flex-col gap-1.5">
      <legend className="mb-1 font-medium text-sm">Rate limit</legend>
      <Radio name="rate-limit" checked={limit === null} onChange={() => choose(false)}>
        No limit
      </Radio>
      <Radio name="rate-limit" checked={limit !== null} onChange={() => choose(true)}>
        Limited
      </Radio>
      {limit ? <LimitNumbers amount={limit.amount} /> : null}
      <FieldError id={errorId} message={message} />
    </fieldset>
  );
}

function LimitNumbers({ amount }: { amount: number }) {
  const { register } = useFormContext<EndpointSettings>();
  const burst = amount >= 1 ? `${defaultBurst(amount)}, a tenth of the requests` : "a tenth of the requests";
  return (
    <div className="mt-1 ml-5 grid gap-4 sm:grid-cols-3">
      <Field label="Requests" error={useFieldMessage("rate_limit.amount")} hint="1 to 1,000,000">
        {(ids) => (
          <Input
            {...ids}
            {...register("rate_limit.amount", { valueAsNumber: true })}
            type="number"
            min={1}
            max={1_000_000}
          />
        )}
      </Field>
      <Field label="Per" error={useFieldMessage("rate_limit.per")}>
        {(ids) => (
          <Select {...ids} {...register("rate_limit.per")}>
            {ratePeriods.map((period) => (
              <option key={period} value={period}>
                {period}
              </option>
            ))}
          </Select>
        )}
      </Field>
      <Field
        label="Burst"
        error={useFieldMessage("rate_limit.burst")}
        hint={`How many may go at once after a pause. If empty: ${burst}.`}
      >
        {(ids) => (
          <Input
            {...ids}
            {...register("rate_limit.burst", { setValueAs: numberOrNone })}
            type="number"
            min={1}
            max={1_000_000}
            placeholder={amount >= 1 ? String(defaultBurst(amount)) : ""}
          />
        )}
      </Field>
    </div>
  );
}

function numberOrNone(text: string | number | undefined): number | undefined {
  return text === "" || text === undefined ? undefined : Number(text);
}
