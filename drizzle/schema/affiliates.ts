import { sql } from "drizzle-orm";
import { text, timestamp, uniqueIndex, uuid } from "drizzle-orm/pg-core";
import { posthorn } from "./namespace.ts";

/** The parties that own endpoints. `key` is the operator's own name for one; it is free again after deletion. */
export const affiliates = posthorn.table(
  "affiliates",
  {
    id: uuid().primaryKey(),
    key: text().notNull(),
    name: text().notNull(),
    createdAt: timestamp("created_at", { withTimezone: true }).notNull().defaultNow(),
    updatedAt: timestamp("updated_at", { withTimezone: true }).notNull().defaultNow(),
    deletedAt: timestamp("deleted_at", { withTimezone: true }),
  },
  (t) => [uniqueIndex("affiliates_key").on(t.key).where(sql`${t.deletedAt} is null`)],
);
