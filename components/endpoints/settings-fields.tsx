"use client";

import { useFormContext } from "react-hook-form";
import { Field, Input } from "#components/ui/field.tsx";
import { AdvancedFields } from "./advanced-fields.tsx";
import { EventTypesField } from "./event-types-field.tsx";
import type { EndpointSettings } from "./form-types.ts";
import { RetryField } from "./retry-field.tsx";

export function EndpointSettingsFields() {
  const { register, formState } = useFormContext<EndpointSettings>();
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
      <AdvancedFields />
    </>
  );
}
