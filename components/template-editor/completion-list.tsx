import { classNames } from "#components/ui/class-names.ts";
import { formatNoun } from "#lib/format.ts";
import { type CompletionState, optionId } from "./use-completion.ts";

const shownOptions = 8;

/**
 * Below the field that is typed in, which steers it: the options themselves never have the focus. It shows those around
 * the chosen one, as a part that scrolls would need the focus too.
 */
export function CompletionList({ listId, completion, place, take }: CompletionState) {
  const count = completion?.options.length ?? 0;
  const first = Math.max(0, Math.min(place - shownOptions / 2, count - shownOptions));
  return (
    <>
      <p role="status" className="sr-only">
        {completion ? `${formatNoun(count, "macro")}. Arrows choose, Enter takes one, Escape closes.` : ""}
      </p>
      {completion ? (
        <div className="absolute inset-x-0 top-full z-30 mt-1 rounded-md border border-line bg-raised py-1 shadow-popup">
          <div id={listId} role="listbox" aria-label="Macros">
            {completion.options.slice(first, first + shownOptions).map((macro, i) => (
              // biome-ignore lint/a11y/useKeyWithClickEvents: the keys are those of the field, which keeps the focus
              // biome-ignore lint/a11y/useFocusableInteractive: named by the field's aria-activedescendant
              <div
                key={macro.name}
                id={optionId(listId, first + i)}
                role="option"
                aria-selected={first + i === place}
                aria-posinset={first + i + 1}
                aria-setsize={count}
                // Before the field could lose the focus.
                onMouseDown={(event) => event.preventDefault()}
                onClick={() => take(macro)}
                className={classNames(
                  "grid cursor-pointer grid-cols-[minmax(0,1fr)_auto] gap-x-3 px-3 py-1 hover:bg-hover",
                  first + i === place && "bg-hover outline-1 outline-focus -outline-offset-1",
                )}
              >
                <span className="min-w-0 truncate">
                  <span className="mr-3 font-mono text-xs">{`{${macro.name}}`}</span>
                  <span className="text-ink-2 text-xs">{macro.description}</span>
                </span>
                <span className="max-w-40 truncate font-mono text-ink-3 text-xs">{macro.example}</span>
              </div>
            ))}
          </div>
          {count > shownOptions ? (
            <p className="border-line border-t px-3 pt-1 text-ink-3 text-xs">
              {place + 1} of {count}: type on, or use the arrows
            </p>
          ) : null}
        </div>
      ) : null}
    </>
  );
}
