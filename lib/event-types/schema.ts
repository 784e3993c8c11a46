import { z } from "zod";
import { pageQuery } from "#lib/api/paging.ts";
import { plainText } from "#lib/api/text.ts";

export const eventTypeName = z
  .string()
  .regex(
    /^[a-z0-9_]+(\.[a-z0-9_]+)*$/,
    "must be lower-case words joined by dots, such as conversion.approved",
  )
  .max(128);

const description = plainText().trim().max(1_000);

export const eventTypeCreate = z.strictObject({
  name: eventTypeName,
  description: description.default(""),
});
export type EventTypeCreate = z.infer<typeof eventTypeCreate>;

export const eventTypeEdit = z.strictObject({ description });
export type EventTypeEdit = z.infer<typeof eventTypeEdit>;

export const eventTypeListQuery = pageQuery;

export type EventType = {
  name: string;
  description: string;
  created_at: string;
  updated_at: string;
};
