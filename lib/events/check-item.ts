import { invalidInput } from "#lib/api/issues.ts";
import { checkData } from "#lib/delivery/catalogue.ts";
import { type FieldError, invalidField, type Problem } from "#lib/errors.ts";
import type { EventTypeRules } from "#lib/queue/event-type-rules.ts";
import type { PublishItem } from "#lib/queue/publish.ts";

/** An event that may be accepted, and what its publisher is to be told about it. */
export type CheckedItem = { item: PublishItem; warnings: FieldError[] };

/** Holds an event against its type; without rules the type is not in the catalogue. No value is repeated. */
export function checkItem(item: PublishItem, rules: EventTypeRules | undefined): CheckedItem | Problem {
  if (!rules) return unknownType();
  const faults =
    rules.fields.length === 0
      ? []
      : checkData(item.data.toString("utf8"), rules.fields).map(({ field, message }) => ({
          field: `data.${field}`,
          message,
        }));
  if (faults.length > 0 && rules.invalidData === "refuse") return invalidInput(faults);
  const deprecated = rules.isDeprecated ? [{ field: "type", message: "is deprecated" }] : [];
  return { item, warnings: [...deprecated, ...faults] };
}

export function unknownType(): Problem {
  return invalidField("type", "is not in the catalogue of event types");
}
