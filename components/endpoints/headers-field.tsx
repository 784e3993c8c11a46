"use client";

import { Plus, Trash2 } from "lucide-react";
import { Controller, useFieldArray, useFormContext, useWatch } from "react-hook-form";
import { Button } from "#components/ui/button.tsx";
import { Field, FieldError, Input } from "#components/ui/field.tsx";
import { IconButton } from "#components/ui/icon-button.tsx";
import { type EndpointSettings, useFieldMessage } from "./form-types.ts";

const maxHeaders = 20;

/** Headers of the endpoint's own. Values that are stored are never shown: null keeps them. */
export function HeadersField() {
  const { fields, append, remove } = useFieldArray<EndpointSettings, "headers">({ name: "headers" });
  return (
    <fieldset className="flex flex-col gap-2">
      <legend className="mb-1 font-medium text-sm">Headers</legend>
      <p className="text-ink-3 text-xs">
        Sent with every request beside Posthorn's own, for example an Authorization that they ask for. Values
        are encrypted, and not shown again once saved.
      </p>
      {fields.map(({ id }, i) => (
        <HeaderRow key={id} place={i} onRemove={() => remove(i)} />
      ))}
      <FieldError message={useFieldMessage("headers")} />
      <Button
        className="self-start"
        disabledReason={fields.length >= maxHeaders ? `There can be ${maxHeaders} at most.` : null}
        onClick={() => append({ name: "", value: "" })}
      >
        <Plus aria-hidden />
        Add a header
      </Button>
    </fieldset>
  );
}

function HeaderRow({ place, onRemove }: { place: number; onRemove: () => void }) {
  const { register, control, formState } = useFormContext<EndpointSettings>();
  const name = useWatch<EndpointSettings, `headers.${number}.name`>({ name: `headers.${place}.name` });
  const isStored = (formState.defaultValues?.headers ?? []).some(
    (header) => header?.value === null && header.name?.toLowerCase() === name.toLowerCase(),
  );
  return (
    <div className="grid gap-2 rounded-md border border-line p-3 sm:grid-cols-[minmax(0,2fr)_minmax(0,3fr)_auto]">
      <Field label="Name" what={`of header ${place + 1}`} error={useFieldMessage(`headers.${place}.name`)}>
        {(ids) => (
          <Input
            {...ids}
            {...register(`headers.${place}.name`)}
            autoComplete="off"
            spellCheck={false}
            className="font-mono text-xs"
          />
        )}
      </Field>
      <Controller
        control={control}
        name={`headers.${place}.value`}
        render={({ field, fieldState }) => (
          <Field
            label="Value"
            what={`of header ${place + 1}`}
            error={fieldState.error?.message}
            hint={isStored && field.value === null ? "Kept as it is unless you type a new one." : undefined}
          >
            {(ids) => (
              <Input
                {...ids}
                ref={field.ref}
                name={field.name}
                onBlur={field.onBlur}
                value={field.value ?? ""}
                onChange={({ target }) =>
                  field.onChange(target.value === "" && isStored ? null : target.value)
                }
                placeholder={isStored ? "stored, hidden" : ""}
                autoComplete="off"
                spellCheck={false}
                className="font-mono text-xs"
              />
            )}
          </Field>
        )}
      />
      <div className="flex justify-end sm:pt-6">
        <IconButton label={`Remove header ${place + 1}`} onClick={onRemove}>
          <Trash2 aria-hidden />
        </IconButton>
      </div>
    </div>
  );
}
