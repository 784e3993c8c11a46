"use client";

import { useMutation } from "@tanstack/react-query";
import { Search } from "lucide-react";
import Link from "next/link";
import { useRouter } from "next/navigation";
import { type FormEvent, useRef, useState } from "react";
import { Kbd, shortcuts, useShortcut } from "#components/layout/shortcuts.tsx";
import { classNames } from "#components/ui/class-names.ts";
import { controlClass } from "#components/ui/field.tsx";
import { errorWords, withQuery } from "#lib/api/fetcher.ts";
import { maxSearchableLength } from "#lib/search/limits.ts";
import { find, hitPath, hitWords } from "./find.ts";

/** Takes any id, or a searchable value such as a click id, and goes to what it names. */
export function FindBox() {
  const router = useRouter();
  const input = useRef<HTMLInputElement>(null);
  const [text, setText] = useState("");
  const search = useMutation({
    mutationFn: (q: string) => find(q),
    gcTime: 0,
    onSuccess: ({ data: [first, ...others] }) => {
      if (!first || others.length > 0) return;
      leave();
      router.push(hitPath(first));
    },
  });
  const leave = () => {
    setText("");
    search.reset();
    input.current?.blur();
  };
  useShortcut("search", () => input.current?.focus());
  const submit = (event: FormEvent) => {
    event.preventDefault();
    const q = text.trim();
    if (q !== "" && !search.isPending) search.mutate(q);
  };
  const found = search.data?.data;
  return (
    <search className="relative w-full max-w-96">
      <form onSubmit={submit}>
        <Search aria-hidden className="pointer-events-none absolute top-2 left-2.5 size-4 text-ink-3" />
        <input
          ref={input}
          value={text}
          onChange={(event) => {
            setText(event.target.value);
            if (!search.isIdle) search.reset();
          }}
          aria-label="Find by id or value"
          placeholder="Find by any id: delivery, event, click, conversion"
          autoComplete="off"
          spellCheck={false}
          enterKeyHint="search"
          maxLength={maxSearchableLength}
          className={classNames(
            controlClass,
            "text-ellipsis border-line bg-surface pr-8 pl-8 hover:border-control-line focus:border-control-line",
          )}
        />
        <span aria-hidden className="pointer-events-none absolute top-1.5 right-2 max-sm:hidden">
          <Kbd>{shortcuts.search.keys}</Kbd>
        </span>
      </form>
      <div role="status" className="absolute top-9 right-0 left-0 z-30">
        {search.isError || (found && found.length !== 1) ? (
          <div className="rounded-md border border-line bg-raised p-3 shadow-popup">
            {search.error ? (
              <p className="text-bad">The search failed: {errorWords(search.error, { withRequest: true })}</p>
            ) : null}
            {found?.length === 0 ? (
              <p>
                No delivery, event or endpoint has the id “{search.variables}”. No event has it as a
                searchable value either.{" "}
                <Link
                  href={withQuery("/endpoints", { view: "all", q: search.variables })}
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
                    <Link href={hitPath(hit)} onClick={leave} className="block py-1 hover:underline">
                      {hitWords[hit.kind].label}
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
