"use client";

import { Plus, Trash2 } from "lucide-react";
import { Controller, useFieldArray, useFormContext, useWatch } from "react-hook-form";
import { Button } from "#components/ui/button.tsx";
import { Field, FieldError, Input } from "#components/ui/field.tsx";
import { IconButton } from "#components/ui/icon-button.tsx";
import { type EndpointSettings, useFieldMessage } from "./form-types.ts";

const maxEntries = 20;

/** The lists of names and values that an endpoint keeps encrypted. */
const lists = {
  headers: {
    title: "Headers",
    noun: "header",
    hint: "Sent with every request beside Posthorn's own, for example an Authorization that they ask for. Values are encrypted, and not shown again once saved.",
    isSame: (a: string, b: string) => a.toLowerCase() === b.toLowerCase(),
  },
  macro_secrets: {
    title: "Secrets of the template",
    noun: "secret",
    hint: "A token that they ask for stands in the template as {secret.name}. Its value is encrypted, put in at send, and not shown again once saved.",
    isSame: (a: string, b: string) => a === b,
  },
};
type ListName = keyof typeof lists;

/** Headers, or secrets of the template. Values that are stored are never shown: null keeps them. */
export function NamedValuesField({ list }: { list: ListName }) {
  const { fields, append, remove } = useFieldArray<EndpointSettings, ListName>({ name: list });
  const { title, noun, hint } = lists[list];
  return (
    <fieldset className="flex flex-col gap-2">
      <legend className="mb-1 font-medium text-sm">{title}</legend>
      <p className="text-ink-3 text-xs">{hint}</p>
      {fields.map(({ id }, i) => (
        <EntryRow key={id} list={list} place={i} onRemove={() => remove(i)} />
      ))}
      <FieldError message={useFieldMessage(list)} />
      <Button
        className="self-start"
        disabledReason={fields.length >= maxEntries ? `There can be ${maxEntries} at most.` : null}
        onClick={() => append({ name: "", value: "" })}
      >
        <Plus aria-hidden />
        Add a {noun}
      </Button>
    </fieldset>
  );
}

type EntryRowProps = { list: ListName; place: number; onRemove: () => void };

function EntryRow({ list, place, onRemove }: EntryRowProps) {
  const { register, control, formState } = useFormContext<EndpointSettings>();
  const { noun, isSame } = lists[list];
  const path = `${list}.${place}` as const;
  const name = useWatch<EndpointSettings, `${ListName}.${number}.name`>({ name: `${path}.name` });
  const isStored = (formState.defaultValues?.[list] ?? []).some(
    (entry) => entry?.value === null && isSame(entry.name ?? "", name),
  );
  return (
    <div className="grid gap-2 rounded-md border border-line p-3 sm:grid-cols-[minmax(0,2fr)_minmax(0,3fr)_auto]">
      <Field label="Name" what={`of ${noun} ${place + 1}`} error={useFieldMessage(`${path}.name`)}>
        {(ids) => (
          <Input
            {...ids}
            {...register(`${path}.name`)}
            autoComplete="off"
            spellCheck={false}
            className="font-mono text-xs"
          />
        )}
      </Field>
      <Controller
        control={control}
        name={`${path}.value`}
        render={({ field, fieldState }) => (
          <Field
            label="Value"
            what={`of ${noun} ${place + 1}`}
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
        <IconButton label={`Remove ${noun} ${place + 1}`} onClick={onRemove}>
          <Trash2 aria-hidden />
        </IconButton>
      </div>
    </div>
  );
}
