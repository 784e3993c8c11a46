import { sql } from "drizzle-orm";
import { bigint, index, integer, json, text, timestamp, uniqueIndex, uuid } from "drizzle-orm/pg-core";
import { affiliates } from "./affiliates.ts";
import { endpoints } from "./endpoints.ts";
import { alertState, findingKind, posthorn, reason } from "./namespace.ts";

/** What dead letters showed: one row from when a finding appears until it ends; the open ones are the present findings. */
export const alerts = posthorn.table(
  "alerts",
  {
    id: bigint({ mode: "bigint" }).primaryKey().generatedAlwaysAsIdentity(),
    /** The finding's own, the same for as long as it lasts (lib/delivery/diagnosis/types.ts). */
    key: text().notNull(),
    kind: findingKind().notNull(),
    state: alertState().notNull().default("open"),
    affiliateId: uuid("affiliate_id")
      .notNull()
      .references(() => affiliates.id),
    /** Null for what concerns one event. */
    endpointId: uuid("endpoint_id").references(() => endpoints.id, { onDelete: "cascade" }),
    eventType: text("event_type"),
    eventId: text("event_id"),
    reason: reason(),
    /** Dead letters that showed it, when last looked at. */
    count: integer().notNull(),
    /** Evidence, sentence, remedy and actions, as they were last found. */
    finding: json().$type<unknown>().notNull(),
    firstSeenAt: timestamp("first_seen_at", { withTimezone: true }).notNull().defaultNow(),
    lastSeenAt: timestamp("last_seen_at", { withTimezone: true }).notNull().defaultNow(),
    endedAt: timestamp("ended_at", { withTimezone: true }),
  },
  (t) => [
    uniqueIndex("alerts_open").on(t.key).where(sql`${t.state} = 'open'`),
    // The open ones first, then the newest.
    index("alerts_state").on(sql`(${t.state} = 'open')`, t.id),
    index("alerts_endpoint").on(t.endpointId, t.id),
    index("alerts_affiliate").on(t.affiliateId, t.id),
  ],
);

/** When dead letters were last looked at, and how many there were in the window; one row at most. */
export const diagnoses = posthorn.table("diagnoses", {
  id: integer().primaryKey().default(1),
  at: timestamp({ withTimezone: true }).notNull(),
  deadLetters: integer("dead_letters").notNull(),
});
