"use client";

import { Controller, useFormContext } from "react-hook-form";
import { Field, Input } from "#components/ui/field.tsx";
import { EventTypesField } from "./event-types-field.tsx";
import type { EndpointSettings } from "./form-types.ts";
import { RetryField } from "./retry-field.tsx";

export function EndpointSettingsFields() {
  const { register, control, formState } = useFormContext<EndpointSettings>();
  const { errors } = formState;
  return (
    <>
      <Field
        label="Name"
        error={errors.name?.message}
        hint="How people will find it, for example “Orders, production”."
      >
        {(ids) => <Input {...ids} {...register("name")} autoComplete="off" />}
      </Field>
      <Field
        label="URL"
        error={errors.url?.message}
        hint="Events are sent here by POST. It is shown, stored and sent exactly as saved."
      >
        {(ids) => (
          <Input
            {...ids}
            {...register("url")}
            type="text"
            inputMode="url"
            autoComplete="off"
            spellCheck={false}
            placeholder="https://"
            className="font-mono text-xs"
          />
        )}
      </Field>
      <EventTypesField />
      <RetryField />
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
          error={errors.concurrency?.message}
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
    </>
  );
}
