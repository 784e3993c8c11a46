"use client";

import { ChevronRight } from "lucide-react";
import { useEffect, useRef } from "react";
import { Controller, useFormContext } from "react-hook-form";
import { Field, Input } from "#components/ui/field.tsx";
import type { EndpointSettings } from "./form-types.ts";
import { NamedValuesField } from "./named-values-field.tsx";
import { OrderingField } from "./ordering-field.tsx";
import { RateLimitField } from "./rate-limit-field.tsx";
import { ResponseRulesField } from "./response-rules-field.tsx";

const advanced = [
  "timeout_ms",
  "concurrency",
  "rate_limit",
  "ordering",
  "headers",
  "response_rules",
] as const satisfies (keyof EndpointSettings)[];

/** Folded away until somebody looks for them, or one of them is wrong. */
export function AdvancedFields() {
  const { formState } = useFormContext<EndpointSettings>();
  const details = useRef<HTMLDetailsElement>(null);
  const isWrong = advanced.some((name) => formState.errors[name] !== undefined);
  const { submitCount } = formState;
  useEffect(() => {
    if (window.location.hash === "#advanced" && details.current) details.current.open = true;
  }, []);
  // biome-ignore lint/correctness/useExhaustiveDependencies: every try to save looks again
  useEffect(() => {
    if (!isWrong || !details.current || details.current.open) return;
    details.current.open = true;
    // What lies in a closed part could not take the focus.
    details.current.closest("form")?.querySelector<HTMLElement>("[aria-invalid=true]")?.focus();
  }, [isWrong, submitCount]);
  return (
    <details ref={details} id="advanced" className="group rounded-lg border border-line">
      <summary className="flex min-h-10 list-none flex-wrap items-center gap-x-2 rounded-lg px-3 py-1.5 hover:bg-hover">
        <ChevronRight aria-hidden className="size-4 text-ink-3 transition-transform group-open:rotate-90" />
        <span className="font-medium">Advanced settings</span>
        <span className="text-ink-3 text-xs">timeout, limits, order, headers, response rules</span>
      </summary>
      <div className="flex flex-col gap-5 border-line border-t p-4">
        <Limits />
        <RateLimitField />
        <OrderingField />
        <NamedValuesField list="headers" />
        <ResponseRulesField />
      </div>
    </details>
  );
}

function Limits() {
  const { register, control, formState } = useFormContext<EndpointSettings>();
  return (
    <div className="grid gap-4 sm:grid-cols-2">
      <Controller
        control={control}
        name="timeout_ms"
        render={({ field, fieldState }) => (
          <Field
            label="Timeout in seconds"
            error={fieldState.error?.message}
            hint="For the whole answer, 1 to 60."
          >
            {(ids) => (
              <Input
                {...ids}
                ref={field.ref}
                name={field.name}
                onBlur={field.onBlur}
                type="number"
                min={1}
                max={60}
                step="any"
                value={Number.isNaN(field.value) ? "" : field.value / 1_000}
                onChange={(event) => field.onChange(Math.round(event.target.valueAsNumber * 1_000))}
              />
            )}
          </Field>
        )}
      />
      <Field
        label="Requests at once"
        error={formState.errors.concurrency?.message}
        hint="At most this many at the same time, 1 to 256."
      >
        {(ids) => (
          <Input
            {...ids}
            {...register("concurrency", { valueAsNumber: true })}
            type="number"
            min={1}
            max={256}
          />
        )}
      </Field>
    </div>
  );
}
