import { classNames } from "#components/ui/class-names.ts";
import type { TextKind } from "#lib/delivery/template/types.ts";
import { stretches } from "./stretches.ts";

/** A template as it is kept, its macros highlighted. */
export function TemplateText({
  text,
  kind,
  className,
}: {
  text: string;
  kind: TextKind;
  className?: string;
}) {
  return (
    <span className={classNames("font-mono text-xs", className)}>
      {stretches(text, kind, []).map(({ text: part, at, isMacro }) =>
        isMacro ? (
          <span key={at} className="rounded-sm bg-info-tint text-info">
            {part}
          </span>
        ) : (
          part
        ),
      )}
    </span>
  );
}
