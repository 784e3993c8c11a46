"use client";

import { useId, useState } from "react";
import { useFormContext, useWatch } from "react-hook-form";
import { Field, Input, Radio } from "#components/ui/field.tsx";
import { retryPresets } from "#lib/endpoints/retry-presets.ts";
import { retryWords } from "#lib/endpoints/retry-words.ts";
import type { RetryPolicy } from "#lib/endpoints/schema.ts";
import type { EndpointSettings } from "./form-types.ts";

type Preset = keyof typeof retryPresets;

const choices: { value: Preset | "custom"; label: string }[] = [
  { value: "quick", label: "Quick: for answers that matter within minutes" },
  { value: "patient", label: "Patient: rides out an outage of two days" },
  { value: "custom", label: "Own numbers" },
];

/** Which preset a policy is, if any. */
function presetOf(policy: RetryPolicy): Preset | "custom" {
  const names = Object.keys(retryPresets) as Preset[];
  return names.find((name) => samePolicy(retryPresets[name], policy)) ?? "custom";
}

function samePolicy(a: RetryPolicy, b: RetryPolicy) {
  return (
    a.max_attempts === b.max_attempts && a.base_seconds === b.base_seconds && a.cap_seconds === b.cap_seconds
  );
}

export function RetryField() {
  const { register, setValue, formState } = useFormContext<EndpointSettings>();
  const policy = useWatch<EndpointSettings, "retry">({ name: "retry" });
  const [own, setOwn] = useState(() => presetOf(policy) === "custom");
  const choice = own ? "custom" : presetOf(policy);
  const wordsId = useId();
  const errors = formState.errors.retry;
  const choose = (value: Preset | "custom") => {
    setOwn(value === "custom");
    if (value !== "custom")
      setValue("retry", retryPresets[value], { shouldDirty: true, shouldValidate: formState.isSubmitted });
  };
  const complete = Object.values(policy).every((number) => number >= 1);
  return (
    <fieldset aria-describedby={wordsId} className="flex flex-col gap-1.5">
      <legend className="mb-1 font-medium text-sm">Retries</legend>
      {choices.map(({ value, label }) => (
        <Radio key={value} name="retry-preset" checked={choice === value} onChange={() => choose(value)}>
          {label}
        </Radio>
      ))}
      {choice === "custom" ? (
        <div className="mt-1 ml-5 grid gap-4 sm:grid-cols-3">
          <Field label="Attempts" error={errors?.max_attempts?.message} hint="1 to 30">
            {(ids) => (
              <Input
                {...ids}
                {...register("retry.max_attempts", { valueAsNumber: true })}
                type="number"
                min={1}
                max={30}
              />
            )}
          </Field>
          <Field
            label="First wait up to (s)"
            error={errors?.base_seconds?.message}
            hint="Doubles with every failure"
          >
            {(ids) => (
              <Input
                {...ids}
                {...register("retry.base_seconds", { valueAsNumber: true })}
                type="number"
                min={1}
                max={3_600}
              />
            )}
          </Field>
          <Field
            label="Longest wait (s)"
            error={
              errors?.cap_seconds?.type === "custom"
                ? "At least as long as the first wait."
                : errors?.cap_seconds?.message
            }
            hint="No wait is longer"
          >
            {(ids) => (
              <Input
                {...ids}
                {...register("retry.cap_seconds", { valueAsNumber: true })}
                type="number"
                min={1}
                max={86_400}
              />
            )}
          </Field>
        </div>
      ) : null}
      <p id={wordsId} className="text-ink-2">
        {complete ? retryWords(policy) : "Every number is needed to say how long it keeps trying."}
      </p>
    </fieldset>
  );
}
