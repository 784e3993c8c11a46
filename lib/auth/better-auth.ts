import { AsyncLocalStorage } from "node:async_hooks";
import { createHash, createHmac, hkdfSync } from "node:crypto";
import { drizzleAdapter } from "better-auth/adapters/drizzle";
import { betterAuth } from "better-auth/minimal";
import { genericOAuth } from "better-auth/plugins/generic-oauth";
import { twoFactor } from "better-auth/plugins/two-factor";
import { v7 as uuidV7 } from "uuid";
import { credentials, sessions, twoFactors, users, verifications } from "#drizzle/schema/index.ts";
import { maxPasswordLength, minPasswordLength } from "#lib/accounts/password.ts";
import { recordAudit } from "#lib/audit/record.ts";
import { config, consoleOrigin, secretKeys } from "#lib/config.ts";
import { appDatabase } from "#lib/db/app.ts";
import type { Database, Orm, Queryable, Transaction } from "#lib/db/database.ts";
import { addressHeader, callOrigin } from "./actor.ts";

/** A session ends so long after its sign-in, used or not. */
const sessionSeconds = 7 * 86_400;

export type BetterAuth = ReturnType<typeof make>;

const made = new WeakMap<Database, BetterAuth>();

/**
 * better-auth on our tables. It is called from our own routes alone and serves none itself: they check where a request
 * comes from, throttle, and answer in the form of every other route. It calls nothing outside.
 */
export function betterAuthInstance(): BetterAuth {
  const database = appDatabase();
  const auth = made.get(database) ?? make(database);
  made.set(database, auth);
  return auth;
}

const ours = new AsyncLocalStorage<Transaction>();

/** Has better-auth read and write in this transaction in all that `work` calls, so that an audit row can go with it. */
export function withBetterAuth<T>(tx: Transaction, work: (auth: BetterAuth) => Promise<T>): Promise<T> {
  return ours.run(tx, () => work(betterAuthInstance()));
}

/** The pool's, and within `withBetterAuth` that of its transaction. */
function currentOrm(pools: Orm): Orm {
  return new Proxy(pools, { get: (_, name) => Reflect.get(ours.getStore()?.orm ?? pools, name) });
}

/** Signs cookies; another key than the one that encrypts, derived from it, so that neither tells of the other. */
export function cookieSecret(): string {
  return derived(secretKeys()[0]);
}

/** Of a token in a cookie, as better-auth signs and checks it. */
export function signatureOf(token: string): Buffer {
  return createHmac("sha256", cookieSecret()).update(token).digest();
}

/** The name and value of a cookie with a token and its signature. */
export function signedCookie(name: string, token: string): string {
  return `${name}=${encodeURIComponent(`${token}.${signatureOf(token).toString("base64")}`)}`;
}

function derived(secretKey: Buffer): string {
  return Buffer.from(hkdfSync("sha256", secretKey, "", "posthorn sessions", 32)).toString("base64");
}

/** The route that the identity provider leads back to. */
const oidcCallbackPath = "/api/console/sign-in/oidc";
export const oidcProvider = "oidc";

/** Discovery, PKCE, and an ID token whose signature, issuer, audience and nonce are checked. */
function oidcPlugin(baseUrl: string) {
  const { oidc } = config();
  const provider = oidc && {
    providerId: oidcProvider,
    discoveryUrl: `${oidc.issuer}/.well-known/openid-configuration`,
    clientId: oidc.clientId,
    clientSecret: oidc.clientSecret,
    scopes: ["openid", "email", "profile"],
    redirectURI: baseUrl + oidcCallbackPath,
    requireIdTokenVerification: true,
    disableSignUp: true,
  };
  return genericOAuth({ config: provider ? [provider] : [] });
}

function make({ orm, pool }: Database) {
  const { publicUrl } = config();
  const baseURL = consoleOrigin();
  return betterAuth({
    appName: "Posthorn",
    baseURL,
    secret: cookieSecret(),
    // Second factors are encrypted with the first of them, and still read with the others.
    secrets: secretKeys().map((key) => ({ version: versionOf(key), value: derived(key) })),
    plugins: [twoFactor({ issuer: "Posthorn" }), oidcPlugin(baseURL)],
    database: drizzleAdapter(currentOrm(orm), {
      provider: "pg",
      schema: {
        user: users,
        session: sessions,
        account: credentials,
        verification: verifications,
        twoFactor: twoFactors,
      },
    }),
    emailAndPassword: { enabled: true, disableSignUp: true, minPasswordLength, maxPasswordLength },
    // Ours alone writes it, but better-auth refuses a table with a column that must be given and that it does not know.
    user: { additionalFields: { role: { type: "string", required: true, input: false } } },
    // Only a verified address links; those that we know were given by an admin, so that is enough.
    account: {
      accountLinking: { enabled: true, requireLocalEmailVerified: false },
      updateAccountOnSignIn: false,
    },
    session: { expiresIn: sessionSeconds, disableSessionRefresh: true },
    advanced: {
      cookiePrefix: "posthorn",
      useSecureCookies: publicUrl?.startsWith("https:") ?? false,
      defaultCookieAttributes: { sameSite: "lax", httpOnly: true, path: "/" },
      database: { generateId: () => uuidV7() },
      ipAddress: { ipAddressHeaders: [addressHeader] },
    },
    databaseHooks: {
      session: {
        create: {
          before: async ({ userId }, context) => {
            const isStaffOnly = context?.path?.startsWith("/callback") ?? false;
            const db = ours.getStore()?.client ?? pool;
            return (await userWhoMay(db, userId, { isStaffOnly })) ? undefined : false;
          },
        },
      },
      account: {
        create: {
          before: async (account, context) => {
            if (!context?.path?.startsWith("/callback")) return;
            const user = await userWhoMay(pool, account.userId, { isStaffOnly: true });
            if (!user) return false;
            await recordLink(orm, user, context.headers);
            // Who they are is all that is asked of the provider, so its tokens are not kept.
            return { data: { ...account, accessToken: null, refreshToken: null, idToken: null } };
          },
        },
      },
    },
    rateLimit: { enabled: false },
    telemetry: { enabled: false },
    // It would log a line for every unknown address; what fails is thrown, and logged by the route.
    logger: { disabled: true },
  });
}

/** A number that stands for the key, wherever in the list it is. */
function versionOf(secretKey: Buffer): number {
  return createHash("sha256").update("posthorn secret version").update(secretKey).digest().readUInt32BE();
}

/**
 * Whether better-auth judged what it was given, and did not fail. That no session could be made is the word of our own
 * hook, which lets none begin for whoever may not sign in; a database that fails throws something else.
 */
export function isRefusal(error: unknown): boolean {
  const { statusCode, body } = error as { statusCode?: unknown; body?: { code?: unknown } };
  if (!(error instanceof Error) || typeof statusCode !== "number") return false;
  return (statusCode >= 400 && statusCode < 500) || body?.code === "FAILED_TO_CREATE_SESSION";
}

type NamedUser = { id: string; name: string };

/** The user, if they may sign in. */
async function userWhoMay(
  db: Queryable,
  userId: string,
  { isStaffOnly }: { isStaffOnly: boolean },
): Promise<NamedUser | undefined> {
  const { rows } = await db.query<NamedUser>(
    `select u.id, u.name from posthorn.users u left join posthorn.affiliates a on a.id = u.affiliate_id
     where u.id = $1 and u.deactivated_at is null and a.deleted_at is null
       and (not $2::boolean or u.role <> 'affiliate')`,
    [userId, isStaffOnly],
  );
  return rows[0];
}

/** Before the link is made, by better-auth on its way back from the provider: a link without its entry cannot be. */
async function recordLink(orm: Orm, { id, name }: NamedUser, headers: Headers | undefined): Promise<void> {
  await recordAudit(
    orm,
    { kind: "user", id, name, from: callOrigin(headers ?? new Headers()) },
    { action: "user.link_identity", objectKind: "user", objectId: id },
  );
}
