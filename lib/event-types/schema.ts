import { z } from "zod";
import { pageQuery } from "#lib/api/paging.ts";
import { plainText } from "#lib/api/text.ts";
import { exampleFault, ownMacros } from "#lib/delivery/catalogue.ts";
import { fieldKinds, type InvalidDataRule, invalidDataRules } from "#lib/vocabulary.ts";

export const maxFields = 100;

export const eventTypeName = z
  .string()
  .regex(
    /^[a-z0-9_]+(\.[a-z0-9_]+)*$/,
    "must be lower-case words joined by dots, such as conversion.approved",
  )
  .max(128);

const description = plainText().trim().max(1_000);

const fieldName = z
  .string()
  .min(1)
  .regex(/^[a-z][a-z0-9_]{0,63}$/, "must be at most 64 of a-z 0-9 _, the first a letter")
  .refine((name) => !ownMacros.includes(name), "is a name that Posthorn gives a meaning of its own");

const field = z
  .strictObject({
    name: fieldName,
    description: plainText().trim().max(200).default(""),
    kind: z.enum(fieldKinds),
    required: z.boolean().default(false),
    /** Its values are masked, and stay out of logs. */
    sensitive: z.boolean().default(false),
    /** Events can be found by its exact value. */
    searchable: z.boolean().default(false),
    example: plainText().min(1).max(200),
  })
  .superRefine(({ name, kind, searchable, example }, context) => {
    const fault = exampleFault(example, kind);
    if (fault) context.addIssue({ code: "custom", path: ["example"], message: fault });
    if (searchable && kind !== "string") {
      context.addIssue({
        code: "custom",
        path: ["searchable"],
        message: "needs text (kind string): it is matched exactly",
      });
    }
    if (name === "occurred_at" && kind !== "timestamp") {
      context.addIssue({
        code: "custom",
        path: ["kind"],
        message: "must be a time (timestamp) for occurred_at",
      });
    }
  });
export type EventField = z.infer<typeof field>;

const fields = z
  .array(field)
  .max(maxFields)
  .superRefine((list, context) => {
    const names = list.map(({ name }) => name);
    for (const [i, name] of names.entries()) {
      if (names.indexOf(name) === i) continue;
      context.addIssue({ code: "custom", path: [i, "name"], message: "is given more than once" });
    }
  });

export const eventTypeCreate = z.strictObject({
  name: eventTypeName,
  description: description.default(""),
  fields: fields.default([]),
  invalid_data: z.enum(invalidDataRules).default("refuse"),
});
export type EventTypeCreate = z.infer<typeof eventTypeCreate>;

export const eventTypeEdit = z
  .strictObject({
    description: description.optional(),
    /** The whole list, in its new order. */
    fields: fields.optional(),
    invalid_data: z.enum(invalidDataRules).optional(),
    deprecated: z.boolean().optional(),
  })
  .refine((edit) => Object.keys(edit).length > 0, "must change at least one field");
export type EventTypeEdit = z.infer<typeof eventTypeEdit>;

export const eventTypeListQuery = pageQuery.extend({
  /** Name or description contains it. */
  q: plainText().trim().min(1).max(200).optional(),
});
export type EventTypeListQuery = z.infer<typeof eventTypeListQuery>;

export type EventType = {
  name: string;
  description: string;
  fields: EventField[];
  invalid_data: InvalidDataRule;
  deprecated_at: string | null;
  created_at: string;
  updated_at: string;
};

/** With the JSON text of data as an event of this type could have them. */
export type EventTypeDetail = EventType & { example_data: string };
