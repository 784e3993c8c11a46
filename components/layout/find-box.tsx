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
import type { Found } from "#lib/stats/schema.ts";

type Hit = Found["data"][number];

const paths = { delivery: "/deliveries", event: "/events", endpoint: "/endpoints" } satisfies Record<
  Hit["kind"],
  string
>;
const pathOf = ({ kind, id }: Hit) => `${paths[kind]}/${encodeURIComponent(id)}`;

/** Takes any id and goes to what it names. */
export function FindBox() {
  const router = useRouter();
  const input = useRef<HTMLInputElement>(null);
  const [text, setText] = useState("");
  const find = useMutation({
    mutationFn: (q: string) => callApi<Found>("/api/console/find", { query: { q } }),
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
  const hits = find.data?.data;
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
          aria-label="Find by id"
          placeholder="Find a delivery, event or endpoint by id"
          autoComplete="off"
          spellCheck={false}
          enterKeyHint="search"
          maxLength={200}
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
        {find.isError || (hits && hits.length !== 1) ? (
          <div className="rounded-md border border-line bg-raised p-3 shadow-popup">
            {find.error ? <p className="text-bad">The search failed: {find.error.message}</p> : null}
            {hits?.length === 0 ? (
              <p>
                No delivery, event or endpoint has the id “{find.variables}”.{" "}
                <Link
                  href={withQuery("/endpoints", { q: find.variables })}
                  onClick={leave}
                  className="underline underline-offset-2"
                >
                  Look for endpoints with this name or URL
                </Link>
              </p>
            ) : null}
            {hits && hits.length > 1 ? (
              <ul>
                {hits.map((hit) => (
                  <li key={hit.kind}>
                    <Link href={pathOf(hit)} onClick={leave} className="block py-1 hover:underline">
                      The {hit.kind} with this id
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
