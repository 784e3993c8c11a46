"use client";

import { useQuery } from "@tanstack/react-query";
import { Plus, Trash2 } from "lucide-react";
import { Controller, useFieldArray, useFormContext, useWatch } from "react-hook-form";
import { Button } from "#components/ui/button.tsx";
import { Field, FieldError, Input, Select, Textarea } from "#components/ui/field.tsx";
import { IconButton } from "#components/ui/icon-button.tsx";
import { numericComparisons } from "#lib/delivery/filters.ts";
import { type FilterKind, filterKindLabels, filterKinds } from "#lib/endpoints/setting-words.ts";
import { allEventTypesOptions } from "#lib/event-types/client.ts";
import type { EventField } from "#lib/event-types/schema.ts";
import { type EndpointSettings, useFieldMessage } from "./form-types.ts";

type FormFilter = EndpointSettings["filters"][number];

const maxFilters = 20;

/** Conditions on the data that an event must meet, all of them, to be sent here. */
export function FiltersField() {
  const { fields, append, remove } = useFieldArray<EndpointSettings, "filters">({ name: "filters" });
  const known = useKnownFields();
  return (
    <fieldset className="flex flex-col gap-2">
      <legend className="mb-1 font-medium text-sm">Filters</legend>
      <p className="text-ink-3 text-xs">
        Without any, every event of these types is sent. With some, only what meets them all; a missing value
        meets none.
      </p>
      {fields.map(({ id }, i) => (
        <FilterRow key={id} place={i} known={known} onRemove={() => remove(i)} />
      ))}
      <FieldError message={useFieldMessage("filters")} />
      <Button
        className="self-start"
        disabledReason={fields.length >= maxFilters ? `There can be ${maxFilters} at most.` : null}
        onClick={() => append({ field: "", is: "equal", value: "" })}
      >
        <Plus aria-hidden />
        Add a filter
      </Button>
    </fieldset>
  );
}

/** The fields of the event types that the form subscribes to, each once. */
function useKnownFields(): EventField[] {
  const { data } = useQuery(allEventTypesOptions());
  const chosen = useWatch<EndpointSettings, "event_types">({ name: "event_types" });
  const types = (data ?? []).filter(({ name }) => chosen === null || chosen.includes(name));
  return [...new Map(types.flatMap(({ fields }) => fields).map((field) => [field.name, field])).values()];
}

type FilterRowProps = { place: number; known: readonly EventField[]; onRemove: () => void };

function FilterRow({ place, known, onRemove }: FilterRowProps) {
  const { register, setValue, formState } = useFormContext<EndpointSettings>();
  const path = `filters.${place}` as const;
  const filter = useWatch<EndpointSettings, typeof path>({ name: path });
  const what = `of filter ${place + 1}`;
  const field = known.find(({ name }) => name === filter.field);
  const isNumber = field === undefined || field.kind === "integer" || field.kind === "decimal";
  const kinds = filterKinds.filter((kind) => isNumber || kind === filter.is || !isComparison(kind));
  const names = known.map(({ name }) => name);
  const change = (is: FilterKind) =>
    setValue(path, filterOf(is, filter), { shouldDirty: true, shouldValidate: formState.isSubmitted });
  return (
    <div className="grid gap-2 rounded-md border border-line p-3 sm:grid-cols-[minmax(0,3fr)_minmax(0,2fr)_minmax(0,3fr)_auto]">
      <Field label="Field" what={what} error={useFieldMessage(`${path}.field`)}>
        {(ids) => (
          <Select {...ids} {...register(`${path}.field`)} className="font-mono text-xs">
            <option value="">Choose a field</option>
            {/* One that the catalogue has no longer is still what is stored. */}
            {(filter.field === "" || names.includes(filter.field) ? names : [filter.field, ...names]).map(
              (name) => (
                <option key={name} value={name}>
                  {name}
                </option>
              ),
            )}
          </Select>
        )}
      </Field>
      <Field label="Condition" what={what}>
        {(ids) => (
          <Select {...ids} value={filter.is} onChange={({ target }) => change(target.value as FilterKind)}>
            {kinds.map((kind) => (
              <option key={kind} value={kind}>
                {filterKindLabels[kind]}
              </option>
            ))}
          </Select>
        )}
      </Field>
      <ValueField place={place} is={filter.is} what={what} example={field?.example} />
      <div className="flex justify-end sm:pt-6">
        <IconButton label={`Remove filter ${place + 1}`} onClick={onRemove}>
          <Trash2 aria-hidden />
        </IconButton>
      </div>
    </div>
  );
}

type ValueFieldProps = { place: number; is: FilterKind; what: string; example: string | undefined };

function ValueField({ place, is, what, example }: ValueFieldProps) {
  const { register, control } = useFormContext<EndpointSettings>();
  const message = useFieldMessage(`filters.${place}.value`);
  const listMessage = useFieldMessage(`filters.${place}.values`);
  if (is === "present") return <span />;
  if (is !== "one_of") {
    return (
      <Field label="Value" what={what} error={message}>
        {(ids) => (
          <Input
            {...ids}
            {...register(`filters.${place}.value`)}
            placeholder={example ? `for example ${example}` : ""}
            autoComplete="off"
            spellCheck={false}
            className="font-mono text-xs"
          />
        )}
      </Field>
    );
  }
  return (
    <Controller
      control={control}
      name={`filters.${place}.values`}
      render={({ field }) => (
        <Field label="Values" what={what} error={listMessage} hint="One a line.">
          {(ids) => (
            <Textarea
              {...ids}
              ref={field.ref}
              onBlur={() => {
                field.onChange((field.value ?? []).filter((value) => value !== ""));
                field.onBlur();
              }}
              rows={2}
              value={(field.value ?? []).join("\n")}
              onChange={({ target }) => field.onChange(target.value === "" ? [] : target.value.split("\n"))}
              autoComplete="off"
              spellCheck={false}
              className="font-mono text-xs"
            />
          )}
        </Field>
      )}
    />
  );
}

function isComparison(kind: FilterKind): kind is (typeof numericComparisons)[number] {
  return (numericComparisons as readonly string[]).includes(kind);
}

/** A filter of this kind, with what the one before said that it can say too. */
function filterOf(is: FilterKind, before: FormFilter): FormFilter {
  const { field } = before;
  const values = before.is === "one_of" ? before.values : before.is === "present" ? [] : [before.value];
  const [value = ""] = values;
  if (is === "present") return { field, is };
  return is === "one_of" ? { field, is, values: values.filter(Boolean) } : { field, is, value };
}
