import { ChevronRight } from "lucide-react";
import type { MacroOption } from "./macros.ts";

type MacroPickerProps = { what: string; macros: readonly MacroOption[]; onPick: (name: string) => void };

/** Every macro with what it stands for; a press puts it where the caret was. */
export function MacroPicker({ what, macros, onPick }: MacroPickerProps) {
  return (
    <details className="group rounded-md border border-line">
      <summary className="flex min-h-8 list-none items-center gap-2 rounded-md px-2.5 py-1 hover:bg-hover">
        <ChevronRight aria-hidden className="size-4 text-ink-3 transition-transform group-open:rotate-90" />
        Macros<span className="sr-only"> for {what}</span>
        <span className="text-ink-3 text-xs">
          {macros.length} to choose from, or type {"{"} in the text
        </span>
      </summary>
      <ul className="max-h-72 overflow-y-auto border-line border-t py-1">
        {macros.map(({ name, description, example }) => (
          <li key={name}>
            <button
              type="button"
              className="flex w-full flex-wrap items-baseline gap-x-3 px-3 py-1 text-left hover:bg-hover focus-visible:-outline-offset-2"
              onClick={() => onPick(name)}
            >
              <span className="sr-only">Insert </span>
              <span className="font-mono text-xs">{`{${name}}`}</span>
              <span className="min-w-0 text-ink-2 text-xs">{description}</span>
              {example ? (
                <span className="ml-auto min-w-0 truncate font-mono text-ink-3 text-xs">
                  <span className="sr-only">for example </span>
                  {example}
                </span>
              ) : null}
            </button>
          </li>
        ))}
      </ul>
      <p className="border-line border-t px-3 py-1.5 text-ink-3 text-xs">
        Functions follow a colon and may be chained, a default follows a bar:{" "}
        <code className="font-mono">{"{status:map(approved=1)|0}"}</code>,{" "}
        <code className="font-mono">{"{sub1:lower|none}"}</code>. There are lower, upper, sha256, md5, map,
        and for times tz and date.
      </p>
    </details>
  );
}
