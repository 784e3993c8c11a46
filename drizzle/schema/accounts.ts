import { sql } from "drizzle-orm";
import { boolean, check, index, integer, text, timestamp, uniqueIndex, uuid } from "drizzle-orm/pg-core";
import { affiliates } from "./affiliates.ts";
import { bytea, posthorn, role } from "./namespace.ts";

const at = (name: string) => timestamp(name, { withTimezone: true });

/**
 * People who sign in. The keys of these columns, and of the four tables below, are the names that better-auth asks for
 * (lib/auth/better-auth.ts); `role` and what follows it are ours.
 */
export const users = posthorn.table(
  "users",
  {
    id: uuid().primaryKey(),
    name: text().notNull(),
    /** In lower case. */
    email: text().notNull(),
    emailVerified: boolean("email_verified").notNull().default(false),
    image: text(),
    twoFactorEnabled: boolean("two_factor_enabled").notNull().default(false),
    createdAt: at("created_at").notNull().defaultNow(),
    updatedAt: at("updated_at").notNull().defaultNow(),
    role: role().notNull(),
    /** Whose endpoints an affiliate's user sees; nobody of the staff has one. */
    affiliateId: uuid("affiliate_id").references(() => affiliates.id),
    /** From then on they cannot sign in, and have no session. */
    deactivatedAt: at("deactivated_at"),
  },
  (t) => [
    uniqueIndex("users_email").on(t.email),
    index("users_affiliate").on(t.affiliateId),
    check("users_affiliate_role", sql`(${t.role} = 'affiliate') = (${t.affiliateId} is not null)`),
  ],
);

/** Who is signed in, and from where. A cookie holds the token and its signature, so the table alone opens no session. */
export const sessions = posthorn.table(
  "sessions",
  {
    id: uuid().primaryKey(),
    token: text().notNull(),
    userId: uuid("user_id")
      .notNull()
      .references(() => users.id, { onDelete: "cascade" }),
    expiresAt: at("expires_at").notNull(),
    ipAddress: text("ip_address"),
    userAgent: text("user_agent"),
    createdAt: at("created_at").notNull().defaultNow(),
    updatedAt: at("updated_at").notNull().defaultNow(),
    /** The affiliate as which one of the staff looks at the portal, and until when. */
    viewedAffiliateId: uuid("viewed_affiliate_id").references(() => affiliates.id),
    viewEndsAt: at("view_ends_at"),
  },
  (t) => [
    uniqueIndex("sessions_token").on(t.token),
    index("sessions_user").on(t.userId),
    index("sessions_expiry").on(t.expiresAt),
    check("sessions_view", sql`(${t.viewedAffiliateId} is null) = (${t.viewEndsAt} is null)`),
  ],
);

/** How a user proves who they are: the hash of a password (`credential`), or an identity elsewhere. */
export const credentials = posthorn.table(
  "credentials",
  {
    id: uuid().primaryKey(),
    userId: uuid("user_id")
      .notNull()
      .references(() => users.id, { onDelete: "cascade" }),
    providerId: text("provider_id").notNull(),
    accountId: text("account_id").notNull(),
    password: text(),
    accessToken: text("access_token"),
    refreshToken: text("refresh_token"),
    idToken: text("id_token"),
    accessTokenExpiresAt: at("access_token_expires_at"),
    refreshTokenExpiresAt: at("refresh_token_expires_at"),
    scope: text(),
    createdAt: at("created_at").notNull().defaultNow(),
    updatedAt: at("updated_at").notNull().defaultNow(),
  },
  (t) => [
    index("credentials_user").on(t.userId),
    uniqueIndex("credentials_identity").on(t.providerId, t.accountId),
  ],
);

/** Steps of a sign-in that are under way: a second factor that is awaited, a visit to an identity provider. */
export const verifications = posthorn.table(
  "verifications",
  {
    id: uuid().primaryKey(),
    identifier: text().notNull(),
    value: text().notNull(),
    expiresAt: at("expires_at").notNull(),
    createdAt: at("created_at").notNull().defaultNow(),
    updatedAt: at("updated_at").notNull().defaultNow(),
  },
  (t) => [index("verifications_identifier").on(t.identifier)],
);

/** A user's time-based one-time passwords; secret and backup codes are encrypted. */
export const twoFactors = posthorn.table(
  "two_factors",
  {
    id: uuid().primaryKey(),
    userId: uuid("user_id")
      .notNull()
      .references(() => users.id, { onDelete: "cascade" }),
    secret: text().notNull(),
    backupCodes: text("backup_codes").notNull(),
    verified: boolean().notNull().default(true),
    failedVerificationCount: integer("failed_verification_count").notNull().default(0),
    lockedUntil: at("locked_until"),
    /** Ours: the latest 30 seconds, counted from 1970, whose code was taken; it and those before are used up. */
    lastStep: integer("last_step"),
  },
  (t) => [index("two_factors_user").on(t.userId)],
);

/** The way to the first admin, while there is none. Only the hash of its token is kept. */
export const setupLinks = posthorn.table("setup_links", {
  tokenHash: bytea("token_hash").primaryKey(),
  expiresAt: at("expires_at").notNull(),
});

/** Ways in, each for one person and one use. Only the hash of a token is kept. */
export const invitations = posthorn.table(
  "invitations",
  {
    id: uuid().primaryKey(),
    tokenHash: bytea("token_hash").notNull(),
    /** In lower case. */
    email: text().notNull(),
    role: role().notNull(),
    affiliateId: uuid("affiliate_id").references(() => affiliates.id),
    createdAt: at("created_at").notNull().defaultNow(),
    createdBy: text("created_by").notNull(),
    expiresAt: at("expires_at").notNull(),
    acceptedAt: at("accepted_at"),
    revokedAt: at("revoked_at"),
  },
  (t) => [
    uniqueIndex("invitations_token").on(t.tokenHash),
    index("invitations_email").on(t.email),
    check("invitations_affiliate_role", sql`(${t.role} = 'affiliate') = (${t.affiliateId} is not null)`),
  ],
);

/** Ways to a new password, each for one user and one use. Only the hash of a token is kept. */
export const passwordLinks = posthorn.table(
  "password_links",
  {
    id: uuid().primaryKey(),
    userId: uuid("user_id")
      .notNull()
      .references(() => users.id, { onDelete: "cascade" }),
    tokenHash: bytea("token_hash").notNull(),
    /** Asked for by e-mail, and not made by an admin. */
    isMailed: boolean("is_mailed").notNull(),
    createdAt: at("created_at").notNull().defaultNow(),
    expiresAt: at("expires_at").notNull(),
    usedAt: at("used_at"),
    /** When it was replaced, or something else made it void. */
    endedAt: at("ended_at"),
  },
  (t) => [uniqueIndex("password_links_token").on(t.tokenHash), index("password_links_user").on(t.userId)],
);

/** Failed and undecided tries to sign in, by what they are counted for, hashed (lib/accounts/throttle.ts). */
export const signInTries = posthorn.table(
  "sign_in_tries",
  {
    key: bytea().primaryKey(),
    tries: integer().notNull(),
    endsAt: at("ends_at").notNull(),
  },
  (t) => [index("sign_in_tries_end").on(t.endsAt)],
);
