"use client";

import { useMutation } from "@tanstack/react-query";
import { Search } from "lucide-react";
import { useRouter } from "next/navigation";
import { type FormEvent, useRef, useState } from "react";
import { usePlace } from "#components/layout/reader.tsx";
import { Kbd, shortcuts, useShortcut } from "#components/layout/shortcuts.tsx";
import { Button } from "#components/ui/button.tsx";
import { classNames } from "#components/ui/class-names.ts";
import { controlClass } from "#components/ui/field.tsx";
import { errorWords, withQuery } from "#lib/api/fetcher.ts";
import { searchDeliveriesOptions } from "#lib/deliveries/client.ts";
import type { DeliverySearchPage } from "#lib/deliveries/schema.ts";
import { maxSearchableLength } from "#lib/search/limits.ts";

/** Takes a click id, or any other searchable value or id, and goes to its delivery, or to the list of them. */
export function ValueSearch() {
  const router = useRouter();
  const place = usePlace();
  const input = useRef<HTMLInputElement>(null);
  const [text, setText] = useState("");
  const search = useMutation({
    ...searchDeliveriesOptions,
    onSuccess: (page, value) => {
      const path = foundPath(page, value);
      if (path === null) return;
      setText("");
      search.reset();
      router.push(place(path));
    },
  });
  useShortcut("search", () => input.current?.focus());
  const submit = (event: FormEvent) => {
    event.preventDefault();
    const value = text.trim();
    if (value !== "" && !search.isPending) search.mutate(value);
  };
  return (
    <search className="mb-3 flex flex-col gap-1.5">
      <form onSubmit={submit} className="flex gap-2">
        <span className="relative min-w-0 flex-1 sm:max-w-md">
          <Search aria-hidden className="pointer-events-none absolute top-2 left-2.5 size-4 text-ink-3" />
          <input
            ref={input}
            value={text}
            onChange={(event) => {
              setText(event.target.value);
              if (!search.isIdle) search.reset();
            }}
            aria-label="Find a delivery by click id, conversion id or any other id"
            placeholder="Click id, conversion id or any id"
            autoComplete="off"
            autoCapitalize="none"
            spellCheck={false}
            enterKeyHint="search"
            maxLength={maxSearchableLength}
            className={classNames(controlClass, "pr-8 pl-8")}
          />
          <span aria-hidden className="pointer-events-none absolute top-1.5 right-2 max-sm:hidden">
            <Kbd>{shortcuts.search.keys}</Kbd>
          </span>
        </span>
        <Button type="submit" busy={search.isPending}>
          Find
        </Button>
      </form>
      <div role="status">
        {search.error ? (
          <p className="text-bad">The search failed: {errorWords(search.error, { withRequest: true })}</p>
        ) : null}
        {search.data?.data.length === 0 ? (
          <p className="wrap-anywhere text-ink-2">
            Nothing was sent, or is to be sent, for “{search.variables}”. If you expect a conversion with this
            id, it has not come to us, or none of your endpoints takes its kind of event.
          </p>
        ) : null}
      </div>
    </search>
  );
}

/** The one delivery that was found, or the list of all; null where there is none. The URL holds a hash, never the value. */
function foundPath({ data, hash }: DeliverySearchPage, value: string): string | null {
  const [first] = data;
  if (!first) return null;
  const isId = first.id === value || first.event_id === value;
  if (data.length === 1) return withQuery(`/deliveries/${first.id}`, isId ? {} : { q_hash: hash });
  const byEvent = data.every(({ event_id }) => event_id === value);
  return withQuery("/deliveries", byEvent ? { event: value } : { q_hash: hash });
}
