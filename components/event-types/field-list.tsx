"use client";

import { Plus } from "lucide-react";
import { useEffect, useRef } from "react";
import { useFieldArray, useFormContext } from "react-hook-form";
import { Button } from "#components/ui/button.tsx";
import { FieldError } from "#components/ui/field.tsx";
import { FieldEditor } from "./field-editor.tsx";
import { type EventTypeSettings, newField } from "./form-types.ts";

/** The fields in their order: added, removed and moved by buttons. */
export function FieldList() {
  const { control, formState } = useFormContext<EventTypeSettings>();
  const { fields, append, remove, move } = useFieldArray({ control, name: "fields" });
  const list = useRef<HTMLOListElement>(null);
  const addButton = useRef<HTMLButtonElement>(null);
  const focusNext = useRef<(() => void) | null>(null);
  const errors = formState.errors.fields;

  // Moving an element takes the focus from it, and removing it leaves none: both are given on once it is done.
  useEffect(() => {
    focusNext.current?.();
    focusNext.current = null;
  });

  const moveTo = (from: number, to: number) => {
    const direction = to < from ? "up" : "down";
    move(from, to);
    focusNext.current = () => focusMove(list.current?.children[to], direction);
  };
  const removeAt = (place: number) => {
    remove(place);
    focusNext.current = () => addButton.current?.focus();
  };
  return (
    <fieldset className="flex flex-col gap-2">
      <legend className="mb-1 font-medium text-sm">Fields</legend>
      <p className="text-ink-3 text-xs">
        What its data hold, in the order in which people see it. Fields that are not listed here are passed on
        unchecked.
      </p>
      <ol ref={list} className="flex flex-col gap-3">
        {fields.map((field, place) => (
          <FieldEditor
            key={field.id}
            place={place}
            isLast={place === fields.length - 1}
            onMove={(by) => moveTo(place, place + by)}
            onRemove={() => removeAt(place)}
          />
        ))}
      </ol>
      <FieldError message={errors?.root?.message ?? errors?.message} />
      <div>
        <Button ref={addButton} onClick={() => append(newField)}>
          <Plus aria-hidden />
          Add a field
        </Button>
      </div>
    </fieldset>
  );
}

/** The button that was pressed, or its neighbour where it cannot be pressed again. */
function focusMove(item: Element | undefined, direction: "up" | "down") {
  const buttons = item?.querySelectorAll<HTMLButtonElement>("button[data-move]:enabled") ?? [];
  const pressed = Array.from(buttons).find((button) => button.dataset.move === direction);
  (pressed ?? buttons[0])?.focus();
}
