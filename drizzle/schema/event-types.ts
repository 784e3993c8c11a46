import { text, timestamp } from "drizzle-orm/pg-core";
import { posthorn } from "./namespace.ts";

export const eventTypes = posthorn.table("event_types", {
  name: text().primaryKey(),
  description: text().notNull().default(""),
  createdAt: timestamp("created_at", { withTimezone: true }).notNull().defaultNow(),
  updatedAt: timestamp("updated_at", { withTimezone: true }).notNull().defaultNow(),
});
