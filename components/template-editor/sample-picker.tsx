"use client";

import { useQuery } from "@tanstack/react-query";
import { useMemo, useState } from "react";
import { useEventWords, useRecentEvents } from "#components/events/recent-events.tsx";
import { RevealBar } from "#components/redaction/reveal-bar.tsx";
import { Field, Select } from "#components/ui/field.tsx";
import { errorWords } from "#lib/api/fetcher.ts";
import type { EventType } from "#lib/event-types/schema.ts";
import { eventOptions, revealEventOptions } from "#lib/events/client.ts";
import type { Event, EventDetail } from "#lib/events/schema.ts";
import { type Sample, sampleOfEvent, sampleOfExamples } from "./sample-event.ts";

type Choice = { kind: "example"; type: string } | { kind: "event"; type: string; id: string };

type SampleState = {
  sample: Sample | null;
  /** Why there is nothing to render with, in words. */
  missing: string | null;
  choice: Choice | null;
  choose: (choice: Choice) => void;
  types: readonly EventType[];
  recent: readonly Event[];
  listProblem: string | null;
  event: EventDetail | null;
  isRevealed: boolean;
  reveal: (event: EventDetail | null) => void;
};

/** The latest real event of the affiliate that the endpoint would get, until another is chosen. */
export function useSample(types: readonly EventType[], affiliate: string | null): SampleState {
  const [chosen, choose] = useState<Choice | null>(null);
  const [revealed, reveal] = useState<EventDetail | null>(null);
  const typeNames = types.map(({ name }) => name);
  const { events: recent, error: listError } = useRecentEvents(affiliate, typeNames);
  const choice =
    (chosen && typeNames.includes(chosen.type) ? chosen : null) ?? firstChoice(recent, typeNames);
  const eventId = choice?.kind === "event" ? choice.id : null;
  const query = useQuery({ ...eventOptions(eventId ?? ""), enabled: eventId !== null });
  const event = eventId === null ? null : (query.data ?? null);
  const isRevealed = event !== null && revealed?.id === event.id;
  const known = isRevealed ? revealed : event;
  const type = types.find(({ name }) => name === choice?.type);
  // One object for one event, since the preview renders anew for another.
  const sample = useMemo(() => {
    if (!type) return null;
    if (eventId === null) return sampleOfExamples(type);
    return known && sampleOfEvent(known, type);
  }, [type, eventId, known]);
  const missing = sample
    ? null
    : !type
      ? "Choose an event type first."
      : query.error
        ? errorWords(query.error)
        : event
          ? "Nothing of this event's data can be shown: choose another one."
          : "The event is being read.";
  const listProblem = listError ? errorWords(listError) : null;
  return { sample, missing, choice, choose, types, recent, listProblem, event, isRevealed, reveal };
}

function firstChoice(recent: SampleState["recent"], typeNames: readonly string[]): Choice | null {
  const [event] = recent;
  if (event) return { kind: "event", type: event.type, id: event.id };
  const [type] = typeNames;
  return type === undefined ? null : { kind: "example", type };
}

export function SamplePicker({ state }: { state: SampleState }) {
  const words = useEventWords();
  const { choice, choose, types, recent, listProblem, event, isRevealed, reveal } = state;
  const value = choice ? (choice.kind === "event" ? `event ${choice.id}` : `example ${choice.type}`) : "";
  const change = (next: string) => {
    const [kind, key = ""] = next.split(" ");
    const found = recent.find(({ id }) => id === key);
    choose(kind === "event" && found ? { kind, type: found.type, id: key } : { kind: "example", type: key });
  };
  return (
    <div className="flex flex-col gap-2">
      <Field
        label="Rendered with"
        error={listProblem ?? undefined}
        hint={recent.length === 0 ? "There is no recent event of these types yet." : undefined}
      >
        {(ids) => (
          <Select {...ids} value={value} onChange={({ target }) => change(target.value)}>
            {recent.length > 0 ? (
              <optgroup label="Latest events">
                {recent.map((entry) => (
                  <option key={entry.id} value={`event ${entry.id}`}>
                    {words(entry)}
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
      {event ? (
        // Its own form lies in a dialog; for React it is part of the form around the editor all the same.
        <div onSubmit={(submitted) => submitted.stopPropagation()}>
          <RevealBar
            id={event.id}
            masked={event.masked}
            isRevealed={isRevealed}
            options={revealEventOptions}
            onRevealed={reveal}
          />
        </div>
      ) : null}
    </div>
  );
}
