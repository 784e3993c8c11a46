"use client";

import { useQuery } from "@tanstack/react-query";
import { useId } from "react";
import { Controller, useFormContext } from "react-hook-form";
import { classNames } from "#components/ui/class-names.ts";
import { FieldError, Radio } from "#components/ui/field.tsx";
import { allEventTypesOptions } from "#lib/event-types/client.ts";
import type { EndpointSettings } from "./form-types.ts";

/** All event types, also those to come, where the endpoint can take them, or a choice of the catalogue. */
export function EventTypesField({ canTakeAll }: { canTakeAll: boolean }) {
  const { control } = useFormContext<EndpointSettings>();
  return (
    <Controller
      control={control}
      name="event_types"
      render={({ field, fieldState }) => (
        <Choice
          canTakeAll={canTakeAll}
          value={field.value}
          onChange={field.onChange}
          error={fieldState.error?.message}
        />
      )}
    />
  );
}

type ChoiceProps = {
  canTakeAll: boolean;
  value: string[] | null;
  onChange: (value: string[] | null) => void;
  error: string | undefined;
};

function Choice({ canTakeAll, value, onChange, error }: ChoiceProps) {
  const errorId = useId();
  const { data, isError, refetch } = useQuery(allEventTypesOptions());
  const names = [...new Set([...(data ?? []).map(({ name }) => name), ...(value ?? [])])].sort();
  const toggle = (name: string, chosen: boolean) =>
    onChange(chosen ? [...(value ?? []), name] : (value ?? []).filter((other) => other !== name));
  return (
    <fieldset aria-describedby={error ? errorId : undefined} className="flex flex-col gap-1.5">
      <legend className="mb-1 font-medium text-sm">Event types</legend>
      {canTakeAll ? (
        <>
          <Radio name="event-types" checked={value === null} onChange={() => onChange(null)}>
            All, also those that come later
          </Radio>
          <Radio name="event-types" checked={value !== null} onChange={() => onChange([])}>
            Only these
          </Radio>
        </>
      ) : (
        <p className="text-ink-3 text-xs">The template may use the fields of these.</p>
      )}
      {value === null ? null : (
        <div
          className={classNames(
            "grid gap-x-4 gap-y-1 rounded-md border border-line p-3 sm:grid-cols-2",
            canTakeAll && "ml-5",
          )}
        >
          {names.map((name) => (
            <label key={name} className="flex min-h-6 min-w-0 items-center gap-2">
              <input
                type="checkbox"
                checked={value.includes(name)}
                onChange={(event) => toggle(name, event.target.checked)}
              />
              <span className="truncate">{name}</span>
            </label>
          ))}
          {isError ? (
            <p role="alert" className="text-bad">
              The catalogue could not be read.{" "}
              <button type="button" className="underline" onClick={() => void refetch()}>
                Try again
              </button>
            </p>
          ) : null}
          {data && names.length === 0 ? (
            <p className="text-ink-2">The catalogue has no event types yet.</p>
          ) : null}
        </div>
      )}
      <FieldError id={errorId} message={error} />
    </fieldset>
  );
}
