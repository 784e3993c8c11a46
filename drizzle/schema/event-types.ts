import { json, text, timestamp } from "drizzle-orm/pg-core";
import { invalidDataRule, posthorn } from "./namespace.ts";

export const eventTypes = posthorn.table("event_types", {
  name: text().primaryKey(),
  description: text().notNull().default(""),
  /** In the order that people gave them. Not jsonb, which would give each one's members back in another. */
  fields: json().$type<unknown[]>().notNull().default([]),
  invalidData: invalidDataRule("invalid_data").notNull().default("refuse"),
  deprecatedAt: timestamp("deprecated_at", { withTimezone: true }),
  createdAt: timestamp("created_at", { withTimezone: true }).notNull().defaultNow(),
  updatedAt: timestamp("updated_at", { withTimezone: true }).notNull().defaultNow(),
});
