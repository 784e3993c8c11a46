"use client";

import { ArrowDown, ArrowUp, Trash2 } from "lucide-react";
import { useId } from "react";
import { useFormContext, useWatch } from "react-hook-form";
import { controlClass, Field, FieldError, Input } from "#components/ui/field.tsx";
import { IconButton } from "#components/ui/icon-button.tsx";
import { fieldKindLabels, fieldKinds } from "#lib/vocabulary.ts";
import type { EventTypeSettings } from "./form-types.ts";

type FieldEditorProps = {
  place: number;
  isLast: boolean;
  onMove: (by: 1 | -1) => void;
  onRemove: () => void;
};

const marks = [
  { mark: "required", label: "Required" },
  { mark: "sensitive", label: "Sensitive: masked, and kept out of logs" },
  { mark: "searchable", label: "Searchable: found by its exact value" },
] as const;

export function FieldEditor({ place, isLast, onMove, onRemove }: FieldEditorProps) {
  const { register, formState } = useFormContext<EventTypeSettings>();
  const name = useWatch<EventTypeSettings, `fields.${number}.name`>({ name: `fields.${place}.name` });
  const errors = formState.errors.fields?.[place];
  const title = name || `field ${place + 1}`;
  return (
    <li>
      <fieldset aria-label={title} className="flex flex-col gap-3 rounded-lg border border-line p-3">
        <div className="flex items-center justify-between gap-2">
          <span aria-hidden className="min-w-0 truncate font-mono text-ink-2 text-xs">
            {title}
          </span>
          <span className="flex shrink-0">
            <IconButton
              label={`Move ${title} up`}
              data-move="up"
              disabled={place === 0}
              onClick={() => onMove(-1)}
            >
              <ArrowUp aria-hidden />
            </IconButton>
            <IconButton
              label={`Move ${title} down`}
              data-move="down"
              disabled={isLast}
              onClick={() => onMove(1)}
            >
              <ArrowDown aria-hidden />
            </IconButton>
            <IconButton label={`Remove ${title}`} onClick={onRemove}>
              <Trash2 aria-hidden />
            </IconButton>
          </span>
        </div>
        <div className="grid gap-3 sm:grid-cols-3">
          <Field label="Name" error={errors?.name?.message}>
            {(ids) => (
              <Input
                {...ids}
                {...register(`fields.${place}.name`)}
                autoComplete="off"
                spellCheck={false}
                className="font-mono text-xs"
              />
            )}
          </Field>
          <Field label="Kind" error={errors?.kind?.message}>
            {(ids) => (
              <select {...ids} {...register(`fields.${place}.kind`)} className={controlClass}>
                {fieldKinds.map((kind) => (
                  <option key={kind} value={kind}>
                    {fieldKindLabels[kind]}
                  </option>
                ))}
              </select>
            )}
          </Field>
          <Field label="Example" error={errors?.example?.message}>
            {(ids) => (
              <Input
                {...ids}
                {...register(`fields.${place}.example`)}
                autoComplete="off"
                spellCheck={false}
                className="font-mono text-xs"
              />
            )}
          </Field>
        </div>
        <Field label="What it says" error={errors?.description?.message}>
          {(ids) => <Input {...ids} {...register(`fields.${place}.description`)} autoComplete="off" />}
        </Field>
        <div className="flex flex-wrap gap-x-5 gap-y-1">
          {marks.map(({ mark, label }) => (
            <Mark key={mark} mark={mark} label={label} place={place} error={errors?.[mark]?.message} />
          ))}
        </div>
      </fieldset>
    </li>
  );
}

type MarkProps = {
  mark: (typeof marks)[number]["mark"];
  label: string;
  place: number;
  error: string | undefined;
};

function Mark({ mark, label, place, error }: MarkProps) {
  const { register } = useFormContext<EventTypeSettings>();
  const errorId = useId();
  return (
    <span className="flex flex-col">
      <label className="flex min-h-6 items-center gap-2">
        <input
          type="checkbox"
          {...register(`fields.${place}.${mark}`)}
          aria-invalid={error ? true : undefined}
          aria-describedby={error ? errorId : undefined}
        />
        {label}
      </label>
      <FieldError id={errorId} message={error} />
    </span>
  );
}
