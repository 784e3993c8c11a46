import { type ComponentProps, useRef } from "react";
import { classNames } from "#components/ui/class-names.ts";
import { controlClass } from "#components/ui/field.tsx";
import type { TextKind } from "#lib/delivery/template/types.ts";
import { type Mark, stretches } from "./stretches.ts";

type HighlightedTextareaProps = ComponentProps<"textarea"> & {
  value: string;
  kind: TextKind;
  marks: readonly Mark[];
};

/** Past so many parts it would cost more to colour the text than to type it. */
const maxParts = 2_000;

// Both must break their lines alike, or the colours would not lie behind their text.
const shape =
  "block w-full rounded-md border px-2.5 py-1.5 font-mono text-xs leading-5 break-all whitespace-pre-wrap [scrollbar-gutter:stable]";

/** A real text field; behind its text lies the same text, unseen, which carries colours and underlines. */
export function HighlightedTextarea({ value, kind, marks, className, ...rest }: HighlightedTextareaProps) {
  const behind = useRef<HTMLDivElement>(null);
  const parts = stretches(value, kind, marks);
  return (
    <div className="relative rounded-md bg-raised">
      <div
        ref={behind}
        aria-hidden
        className={classNames(
          shape,
          "pointer-events-none absolute inset-0 overflow-hidden border-transparent text-transparent",
        )}
      >
        {(parts.length > maxParts ? [] : parts).map(({ text, at, isMacro, look }) => (
          <span
            key={at}
            className={classNames(
              isMacro && "rounded-sm bg-info-tint",
              look === "fault" && "bg-bad-tint underline decoration-2 decoration-bad decoration-wavy",
              look === "warning" && "bg-warn-tint underline decoration-2 decoration-dotted decoration-warn",
            )}
          >
            {text}
          </span>
        ))}
        {/* A last line without text has its height in the field, and here only with something on it. */}
        {value.endsWith("\n") ? " " : null}
      </div>
      <textarea
        {...rest}
        value={value}
        spellCheck={false}
        autoComplete="off"
        autoCapitalize="off"
        onScroll={({ currentTarget }) => {
          if (behind.current) behind.current.scrollTop = currentTarget.scrollTop;
        }}
        className={classNames(
          controlClass,
          shape,
          "relative field-sizing-content h-auto max-h-80 resize-none overflow-y-auto bg-transparent",
          className,
        )}
      />
    </div>
  );
}
