"use client";

import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { useEventWords, useRecentEvents } from "#components/events/recent-events.tsx";
import { Field, Select } from "#components/ui/field.tsx";
import { errorWords } from "#lib/api/fetcher.ts";
import type { RenderInput } from "#lib/delivery/template/render.ts";
import type { EventType } from "#lib/event-types/schema.ts";
import { eventOptions } from "#lib/events/client.ts";
import type { Event } from "#lib/events/schema.ts";
import { inputOfEvent, inputOfExamples } from "./sample-event.ts";

type Choice = { kind: "example"; type: string } | { kind: "event"; type: string; id: string };

/** Why there is nothing to render with, in words; else what to render with. */
export type Sample = { input: RenderInput | null; missing: string | null };

type SampleState = Sample & {
  choice: Choice | null;
  choose: (choice: Choice) => void;
  types: readonly EventType[];
  recent: readonly Event[];
  listProblem: string | null;
};

/** The latest real event of the affiliate that the endpoint would get, until another is chosen. */
export function useSample(types: readonly EventType[], affiliate: string | null): SampleState {
  const [chosen, choose] = useState<Choice | null>(null);
  const typeNames = types.map(({ name }) => name);
  const { events: recent, error: listError } = useRecentEvents(affiliate, typeNames);
  const choice =
    (chosen && typeNames.includes(chosen.type) ? chosen : null) ?? firstChoice(recent, typeNames);
  const eventId = choice?.kind === "event" ? choice.id : null;
  const event = useQuery({ ...eventOptions(eventId ?? ""), enabled: eventId !== null });
  const state = { choice, choose, types, recent, listProblem: listError ? errorWords(listError) : null };
  const type = types.find(({ name }) => name === choice?.type);
  if (!choice || !type) return { ...state, input: null, missing: "Choose an event type first." };
  if (choice.kind === "example") return { ...state, input: inputOfExamples(type), missing: null };
  if (event.error) return { ...state, input: null, missing: errorWords(event.error) };
  if (!event.data) return { ...state, input: null, missing: "The event is being read." };
  const input = inputOfEvent(event.data, type);
  return { ...state, input, missing: input ? null : "The event's data are no longer kept." };
}

function firstChoice(recent: SampleState["recent"], typeNames: readonly string[]): Choice | null {
  const [event] = recent;
  if (event) return { kind: "event", type: event.type, id: event.id };
  const [type] = typeNames;
  return type === undefined ? null : { kind: "example", type };
}

export function SamplePicker({ sample }: { sample: SampleState }) {
  const words = useEventWords();
  const { choice, choose, types, recent, listProblem } = sample;
  const value = choice ? (choice.kind === "event" ? `event ${choice.id}` : `example ${choice.type}`) : "";
  const change = (next: string) => {
    const [kind, key = ""] = next.split(" ");
    const event = recent.find(({ id }) => id === key);
    choose(kind === "event" && event ? { kind, type: event.type, id: key } : { kind: "example", type: key });
  };
  return (
    <Field
      label="Rendered with"
      error={listProblem ?? undefined}
      hint={recent.length === 0 ? "The affiliate has no recent event of these types yet." : undefined}
    >
      {(ids) => (
        <Select {...ids} value={value} onChange={({ target }) => change(target.value)}>
          {recent.length > 0 ? (
            <optgroup label="Latest events">
              {recent.map((event) => (
                <option key={event.id} value={`event ${event.id}`}>
                  {words(event)}
                </option>
              ))}
            </optgroup>
          ) : null}
          <optgroup label="Examples of the catalogue">
            {types.map(({ name }) => (
              <option key={name} value={`example ${name}`}>
                {`Example of ${name}`}
              </option>
            ))}
          </optgroup>
        </Select>
      )}
    </Field>
  );
}
