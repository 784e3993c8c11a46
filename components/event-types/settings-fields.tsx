"use client";

import { useFormContext } from "react-hook-form";
import { Field, Input } from "#components/ui/field.tsx";
import { invalidDataRules } from "#lib/vocabulary.ts";
import { FieldList } from "./field-list.tsx";
import type { EventTypeSettings } from "./form-types.ts";

const ruleWords = {
  refuse: "Refuse it: whoever publishes it is told which field is at fault",
  warn: "Accept it with a warning, and send it",
} satisfies Record<(typeof invalidDataRules)[number], string>;

export function EventTypeSettingsFields() {
  const { register, formState } = useFormContext<EventTypeSettings>();
  return (
    <>
      <Field
        label="Description"
        error={formState.errors.description?.message}
        hint="What has happened when such an event is published."
      >
        {(ids) => <Input {...ids} {...register("description")} autoComplete="off" />}
      </Field>
      <FieldList />
      <fieldset className="flex flex-col gap-1.5">
        <legend className="mb-1 font-medium text-sm">
          An event that lacks a required field, or has one of the wrong kind
        </legend>
        {invalidDataRules.map((rule) => (
          <label key={rule} className="flex min-h-6 items-center gap-2">
            <input type="radio" value={rule} {...register("invalid_data")} />
            {ruleWords[rule]}
          </label>
        ))}
      </fieldset>
    </>
  );
}
