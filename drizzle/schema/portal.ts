import { sql } from "drizzle-orm";
import { bigint, boolean, index, integer, text, timestamp, uniqueIndex, uuid } from "drizzle-orm/pg-core";
import { users } from "./accounts.ts";
import { affiliates } from "./affiliates.ts";
import { endpoints } from "./endpoints.ts";
import {
  bytea,
  endpointChangeState,
  noticeChannel,
  noticeKind,
  noticeSendState,
  posthorn,
  reason,
} from "./namespace.ts";

const at = (name: string) => timestamp(name, { withTimezone: true });

/**
 * Ways into one affiliate's portal from the operator's own product, each for one use. The session that a link becomes is
 * in its row: ending the one ends the other. Only hashes of tokens are kept.
 */
export const portalLinks = posthorn.table(
  "portal_links",
  {
    id: uuid().primaryKey(),
    affiliateId: uuid("affiliate_id")
      .notNull()
      .references(() => affiliates.id),
    tokenHash: bytea("token_hash").notNull(),
    createdAt: at("created_at").notNull().defaultNow(),
    createdBy: text("created_by").notNull(),
    expiresAt: at("expires_at").notNull(),
    usedAt: at("used_at"),
    revokedAt: at("revoked_at"),
    sessionHash: bytea("session_hash"),
    sessionEndsAt: at("session_ends_at"),
  },
  (t) => [
    uniqueIndex("portal_links_token").on(t.tokenHash),
    uniqueIndex("portal_links_session").on(t.sessionHash),
    index("portal_links_affiliate").on(t.affiliateId, t.id),
  ],
);

/** What a user of an affiliate wants to be told, and where. Who has no row is told everything by e-mail. */
export const noticeSettings = posthorn.table("notice_settings", {
  userId: uuid("user_id")
    .primaryKey()
    .references(() => users.id, { onDelete: "cascade" }),
  kinds: noticeKind().array().notNull(),
  byEmail: boolean("by_email").notNull(),
  webhookUrl: text("webhook_url"),
  /** Signs what goes to the webhook; encrypted for the user's id. */
  webhookSecret: bytea("webhook_secret"),
  updatedAt: at("updated_at").notNull().defaultNow(),
});

/** What was last told of an endpoint; one of which there is nothing to tell has no row. */
export const noticeStates = posthorn.table("notice_states", {
  endpointId: uuid("endpoint_id")
    .primaryKey()
    .references(() => endpoints.id, { onDelete: "cascade" }),
  kind: noticeKind().notNull(),
  since: at("since").notNull().defaultNow(),
});

/** Every change of state that somebody may want to know of. */
export const notices = posthorn.table(
  "notices",
  {
    id: bigint({ mode: "bigint" }).primaryKey().generatedAlwaysAsIdentity(),
    at: at("at").notNull().defaultNow(),
    affiliateId: uuid("affiliate_id")
      .notNull()
      .references(() => affiliates.id),
    endpointId: uuid("endpoint_id")
      .notNull()
      .references(() => endpoints.id, { onDelete: "cascade" }),
    kind: noticeKind().notNull(),
    /** The latest failure when it was noticed, and when the row of failures began. */
    reason: reason(),
    status: integer(),
    failingSince: at("failing_since"),
  },
  (t) => [index("notices_affiliate").on(t.affiliateId, t.id), index("notices_at").on(t.at)],
);

/** One notice on its way to one person by one channel. */
export const noticeSends = posthorn.table(
  "notice_sends",
  {
    id: uuid().primaryKey(),
    noticeId: bigint("notice_id", { mode: "bigint" })
      .notNull()
      .references(() => notices.id, { onDelete: "cascade" }),
    userId: uuid("user_id")
      .notNull()
      .references(() => users.id, { onDelete: "cascade" }),
    channel: noticeChannel().notNull(),
    state: noticeSendState().notNull().default("pending"),
    attempts: integer().notNull().default(0),
    /** Also how long whoever sends it has it for themselves. */
    nextAttemptAt: at("next_attempt_at").notNull().defaultNow(),
    /** Why the latest attempt failed: a code or a status, and never what somebody answered. */
    failure: text(),
    endedAt: at("ended_at"),
  },
  (t) => [
    uniqueIndex("notice_sends_once").on(t.noticeId, t.userId, t.channel),
    index("notice_sends_user").on(t.userId),
    index("notice_sends_due").on(t.nextAttemptAt).where(sql`${t.state} = 'pending'`),
  ],
);

/** Edits that would send an endpoint's events to another host, and wait for the operators. */
export const endpointChanges = posthorn.table(
  "endpoint_changes",
  {
    id: uuid().primaryKey(),
    endpointId: uuid("endpoint_id")
      .notNull()
      .references(() => endpoints.id, { onDelete: "cascade" }),
    affiliateId: uuid("affiliate_id")
      .notNull()
      .references(() => affiliates.id),
    state: endpointChangeState().notNull().default("pending"),
    fromUrl: text("from_url").notNull(),
    toUrl: text("to_url").notNull(),
    /** The whole edit as JSON, encrypted as it may hold credentials; null once nothing comes of it any more. */
    edit: bytea(),
    requestedAt: at("requested_at").notNull().defaultNow(),
    requestedBy: text("requested_by").notNull(),
    decidedAt: at("decided_at"),
    decidedBy: text("decided_by"),
    reason: text(),
  },
  (t) => [
    uniqueIndex("endpoint_changes_pending").on(t.endpointId).where(sql`${t.state} = 'pending'`),
    index("endpoint_changes_endpoint").on(t.endpointId, t.id),
    index("endpoint_changes_state").on(t.state, t.id),
  ],
);
