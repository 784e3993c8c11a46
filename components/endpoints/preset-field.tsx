"use client";

import { useState } from "react";
import { useFormContext } from "react-hook-form";
import { Field, Select } from "#components/ui/field.tsx";
import { trackerPresets } from "#lib/endpoints/tracker-presets.ts";
import type { EndpointSettings } from "./form-types.ts";

/** Fills the template with a tracker's usual form, and says what is left to put in. */
export function PresetField() {
  const { setValue, formState } = useFormContext<EndpointSettings>();
  const [chosen, setChosen] = useState("");
  const preset = trackerPresets.find(({ id }) => id === chosen);
  const change = (id: string) => {
    setChosen(id);
    const next = trackerPresets.find((candidate) => candidate.id === id);
    if (next) setValue("url", next.url, { shouldDirty: true, shouldValidate: formState.isSubmitted });
  };
  return (
    <div className="flex max-w-2xl flex-col gap-2">
      <Field
        label="Start from a preset"
        hint="A suggestion in place of the URL template below; check it against the tracker's own help."
      >
        {(ids) => (
          <Select {...ids} value={chosen} onChange={({ target }) => change(target.value)}>
            <option value="">None</option>
            {trackerPresets.map(({ id, name }) => (
              <option key={id} value={id}>
                {name}
              </option>
            ))}
          </Select>
        )}
      </Field>
      <div role="status">
        {preset ? (
          <ul aria-label={`Hints for ${preset.name}`} className="list-disc pl-5 text-ink-2">
            {preset.hints.map((hint) => (
              <li key={hint}>{hint}</li>
            ))}
          </ul>
        ) : null}
      </div>
    </div>
  );
}
