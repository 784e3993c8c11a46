import { useEffect, useRef } from "react";
import { classNames } from "#components/ui/class-names.ts";
import { formatNoun } from "#lib/format.ts";
import { type CompletionState, optionId } from "./use-completion.ts";

/** Below the field that is typed in, which steers it: the options themselves never have the focus. */
export function CompletionList({ listId, completion, place, take }: CompletionState) {
  const list = useRef<HTMLDivElement>(null);
  // biome-ignore lint/correctness/useExhaustiveDependencies: another option is chosen
  useEffect(() => {
    list.current?.querySelector("[aria-selected=true]")?.scrollIntoView({ block: "nearest" });
  }, [place]);
  return (
    <>
      <p role="status" className="sr-only">
        {completion
          ? `${formatNoun(completion.options.length, "macro")}. Arrows choose, Enter takes one, Escape closes.`
          : ""}
      </p>
      {completion ? (
        <div
          ref={list}
          id={listId}
          role="listbox"
          aria-label="Macros"
          className="absolute inset-x-0 top-full z-30 mt-1 max-h-64 overflow-y-auto rounded-md border border-line bg-raised py-1 shadow-popup"
        >
          {completion.options.map((macro, i) => (
            // biome-ignore lint/a11y/useKeyWithClickEvents: the keys are those of the field, which keeps the focus
            // biome-ignore lint/a11y/useFocusableInteractive: named by the field's aria-activedescendant
            <div
              key={macro.name}
              id={optionId(listId, i)}
              role="option"
              aria-selected={i === place}
              // Before the field could lose the focus.
              onMouseDown={(event) => event.preventDefault()}
              onClick={() => take(macro)}
              className={classNames(
                "flex cursor-pointer flex-wrap items-baseline gap-x-3 px-3 py-1 hover:bg-hover",
                i === place && "bg-hover outline-1 outline-focus -outline-offset-1",
              )}
            >
              <span className="font-mono text-xs">{`{${macro.name}}`}</span>
              <span className="min-w-0 text-ink-2 text-xs">{macro.description}</span>
              {macro.example ? (
                <span className="ml-auto truncate font-mono text-ink-3 text-xs">{macro.example}</span>
              ) : null}
            </div>
          ))}
        </div>
      ) : null}
    </>
  );
}
