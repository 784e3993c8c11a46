"use client";

import { useMutation } from "@tanstack/react-query";
import { Search } from "lucide-react";
import Link from "next/link";
import { useRouter } from "next/navigation";
import { type FormEvent, useRef, useState } from "react";
import { Kbd, shortcuts, useShortcut } from "#components/layout/shortcuts.tsx";
import { classNames } from "#components/ui/class-names.ts";
import { controlClass } from "#components/ui/field.tsx";
import { callApi, withQuery } from "#lib/api/fetcher.ts";
import { maxSearchableLength } from "#lib/search/schema.ts";
import type { Found } from "#lib/stats/schema.ts";

type Hit = Found["data"][number];

const hits = {
  delivery: { path: (id) => `/deliveries/${id}`, label: "The delivery with this id" },
  event: { path: (id) => `/events/${encodeURIComponent(id)}`, label: "The event with this id" },
  endpoint: { path: (id) => `/endpoints/${id}`, label: "The endpoint with this id" },
  deliveries_by_value: {
    path: (id) => withQuery("/deliveries", { q_hash: id }),
    label: "Deliveries of events with this value",
  },
  events_by_value: { path: (id) => withQuery("/events", { q_hash: id }), label: "Events with this value" },
} satisfies Record<Hit["kind"], { path: (id: string) => string; label: string }>;
const pathOf = ({ kind, id }: Hit) => hits[kind].path(id);

/** Takes any id, or a searchable value such as a click id, and goes to what it names. */
export function FindBox() {
  const router = useRouter();
  const input = useRef<HTMLInputElement>(null);
  const [text, setText] = useState("");
  const find = useMutation({
    mutationFn: (q: string) => callApi<Found>("/api/console/find", { method: "POST", body: { q } }),
    gcTime: 0,
    onSuccess: ({ data: [first, ...others] }) => {
      if (!first || others.length > 0) return;
      leave();
      router.push(pathOf(first));
    },
  });
  const leave = () => {
    setText("");
    find.reset();
    input.current?.blur();
  };
  useShortcut("search", () => input.current?.focus());
  const submit = (event: FormEvent) => {
    event.preventDefault();
    const q = text.trim();
    if (q !== "" && !find.isPending) find.mutate(q);
  };
  const found = find.data?.data;
  return (
    <search className="relative w-full max-w-96">
      <form onSubmit={submit}>
        <Search aria-hidden className="pointer-events-none absolute top-2 left-2.5 size-4 text-ink-3" />
        <input
          ref={input}
          value={text}
          onChange={(event) => {
            setText(event.target.value);
            if (!find.isIdle) find.reset();
          }}
          aria-label="Find by id or value"
          placeholder="Find by any id: delivery, event, click, conversion"
          autoComplete="off"
          spellCheck={false}
          enterKeyHint="search"
          maxLength={maxSearchableLength}
          className={classNames(
            controlClass,
            "border-line bg-surface pr-8 pl-8 hover:border-control-line focus:border-control-line",
          )}
        />
        <span aria-hidden className="pointer-events-none absolute top-1.5 right-2 max-sm:hidden">
          <Kbd>{shortcuts.search.keys}</Kbd>
        </span>
      </form>
      <div role="status" className="absolute top-9 right-0 left-0 z-30">
        {find.isError || (found && found.length !== 1) ? (
          <div className="rounded-md border border-line bg-raised p-3 shadow-popup">
            {find.error ? <p className="text-bad">The search failed: {find.error.message}</p> : null}
            {found?.length === 0 ? (
              <p>
                No delivery, event or endpoint has the id “{find.variables}”. No event has it as a searchable
                value either.{" "}
                <Link
                  href={withQuery("/endpoints", { view: "all", q: find.variables })}
                  onClick={leave}
                  // It may be somebody's click id, which belongs into no URL unless asked for.
                  prefetch={false}
                  className="underline underline-offset-2"
                >
                  Look for endpoints with this name or URL
                </Link>
              </p>
            ) : null}
            {found && found.length > 1 ? (
              <ul>
                {found.map((hit) => (
                  <li key={hit.kind}>
                    <Link href={pathOf(hit)} onClick={leave} className="block py-1 hover:underline">
                      {hits[hit.kind].label}
                    </Link>
                  </li>
                ))}
              </ul>
            ) : null}
          </div>
        ) : null}
      </div>
    </search>
  );
}
