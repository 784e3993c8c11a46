import { Archive, Asterisk, EyeOff, Search } from "lucide-react";
import { Pill } from "#components/ui/pill.tsx";
import type { EventField } from "#lib/event-types/schema.ts";

/** What is special about a field; nothing where nothing is. */
export function FieldMarks({ field }: { field: Pick<EventField, "required" | "sensitive" | "searchable"> }) {
  return (
    <span className="inline-flex flex-wrap gap-1 align-middle">
      {field.required ? (
        <Pill tone="info" icon={Asterisk}>
          Required
        </Pill>
      ) : null}
      {field.sensitive ? (
        <Pill tone="held" icon={EyeOff}>
          Sensitive
        </Pill>
      ) : null}
      {field.searchable ? (
        <Pill tone="idle" icon={Search}>
          Searchable
        </Pill>
      ) : null}
    </span>
  );
}

export function DeprecatedPill() {
  return (
    <Pill tone="warn" icon={Archive}>
      Deprecated
    </Pill>
  );
}
