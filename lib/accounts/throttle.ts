import { createHash } from "node:crypto";
import type { Queryable } from "#lib/db/database.ts";
import { Problem } from "#lib/errors.ts";
import { networkOf } from "./network.ts";

/** Each begins with its first try, and ends whatever is tried meanwhile. */
const windowMinutes = 15;
const accountWindowMinutes = 60;
const maxTries = { accountFromAddress: 10, address: 100, account: 100 } as const;
/** Of second factors. */
const maxCodes = { user: 10, address: 50 } as const;

type Limit = { key: Buffer; max: number; minutes: number };
export type Tries = { email: string; address: string | null };
/** Beside the account's row from this address, what a try was counted in. */
export type Counted = readonly Buffer[];

/**
 * Counts a try to sign in, before it is judged, so that many at once are counted as well: for the account from this
 * address, for the address, and for the account from all addresses where it is not signed in. So nobody who tries from
 * many keeps its owner out where they are at home. 429 past a limit, with the time until its window ends. Returns what `forgetTries` takes back.
 */
export async function countTry(db: Queryable, tries: Tries): Promise<Counted> {
  const keys = keysOf(tries);
  const limits: Limit[] = [
    { key: keys.accountFromAddress, max: maxTries.accountFromAddress, minutes: windowMinutes },
    { key: keys.address, max: maxTries.address, minutes: windowMinutes },
  ];
  if (!(await isSignedInFrom(db, tries)))
    limits.push({ key: keys.account, max: maxTries.account, minutes: accountWindowMinutes });
  await countTowards(db, limits, "Too many tries to sign in; wait before the next one");
  return limits.slice(1).map(({ key }) => key);
}

/** Whether the account has a session that began at this address, over users_email and sessions_user. */
async function isSignedInFrom(db: Queryable, { email, address }: Tries): Promise<boolean> {
  if (address === null) return false;
  const { rows } = await db.query<{ ip_address: string }>(
    `select distinct s.ip_address from posthorn.sessions s join posthorn.users u on u.id = s.user_id
     where u.email = $1 and s.expires_at > now() and s.ip_address is not null`,
    [email],
  );
  return rows.some((row) => networkOf(row.ip_address) === networkOf(address));
}

/** Of requests for a new password by e-mail. */
const maxAsked = { accountFromAddress: 3, address: 20, account: 10 } as const;

/**
 * Counts a request for a new password by e-mail, before anybody looks whether there is such an account: for the account
 * from this address, for the address, and for the account from everywhere, so that nobody's mailbox is filled. 429 past a limit.
 */
export async function countAsked(db: Queryable, { email, address }: Tries): Promise<void> {
  const network = networkOf(address);
  const limits: Limit[] = [
    { key: hashed(["asked for", email, network]), max: maxAsked.accountFromAddress, minutes: windowMinutes },
    { key: hashed(["asked from", network]), max: maxAsked.address, minutes: windowMinutes },
    { key: hashed(["asked for", email]), max: maxAsked.account, minutes: accountWindowMinutes },
  ];
  await countTowards(db, limits, "Too many new passwords were asked for; wait before the next one");
}

export type CodeTry = { userId: string | null; address: string | null };

/**
 * Counts a code before it is judged: for whom it is, null where nobody knows, and for the address, which no right code
 * clears, or somebody's own would buy tries of another's. 429 past either limit.
 */
export async function countCode(db: Queryable, { userId, address }: CodeTry): Promise<void> {
  const limits: Limit[] = [
    { key: hashed(["code from", networkOf(address)]), max: maxCodes.address, minutes: windowMinutes },
  ];
  if (userId !== null) limits.push({ key: codeKey(userId), max: maxCodes.user, minutes: windowMinutes });
  await countTowards(db, limits, "Too many codes were tried; wait before the next one");
}

/** After a right code: ends this user's row of wrong ones, and nothing else. */
export async function forgetCodes(db: Queryable, userId: string): Promise<void> {
  await db.query("delete from posthorn.sign_in_tries where key = $1", [codeKey(userId)]);
}

/**
 * Counts one more of what `of` names, such as invitations by somebody. 429 past `max` within 15 minutes, with the time
 * until the window ends.
 */
export async function countUse(
  db: Queryable,
  { of, max, detail }: { of: readonly unknown[]; max: number; detail: string },
): Promise<void> {
  await countTowards(db, [{ key: hashed(of), max, minutes: windowMinutes }], detail);
}

/** In the database, so that it holds over all processes and restarts. */
async function countTowards(db: Queryable, limits: Limit[], detail: string): Promise<void> {
  const keys = limits.map(({ key }) => key);
  const { rows } = await db.query<{ key: Buffer; tries: number; ends_in: number }>(
    `with expired as (
       delete from posthorn.sign_in_tries where key in (
         select key from posthorn.sign_in_tries where ends_at < now() and key <> all($1)
         order by ends_at limit 100 for update skip locked)
     )
     insert into posthorn.sign_in_tries as t (key, tries, ends_at)
     select key, 1, now() + make_interval(mins => minutes)
     from unnest($1::bytea[], $2::int[]) limits (key, minutes) order by key
     on conflict (key) do update set
       tries = case when t.ends_at < now() then 1 else t.tries + 1 end,
       ends_at = case when t.ends_at < now() then excluded.ends_at else t.ends_at end
     returning key, tries, ceil(extract(epoch from ends_at - now()))::int as ends_in`,
    [keys, limits.map(({ minutes }) => minutes)],
  );
  const waits = rows
    .filter((row) => row.tries > (limits.find(({ key }) => key.equals(row.key))?.max ?? 0))
    .map((row) => row.ends_in);
  if (waits.length === 0) return;
  throw new Problem("too_many_requests", detail, [], { retryAfterSeconds: Math.max(1, ...waits) });
}

/** A try that was right counts for nothing, and ends the account's row of wrong ones from this address. */
export async function forgetTries(db: Queryable, tries: Tries, counted: Counted): Promise<void> {
  await db.query(
    `with forgotten as (delete from posthorn.sign_in_tries where key = $1)
     update posthorn.sign_in_tries set tries = greatest(tries - 1, 0) where key = any($2::bytea[])`,
    [keysOf(tries).accountFromAddress, counted],
  );
}

function codeKey(userId: string): Buffer {
  return hashed(["code of", userId]);
}

function keysOf({ email, address }: Tries): Record<keyof typeof maxTries, Buffer> {
  const network = networkOf(address);
  return {
    accountFromAddress: hashed(["account", email, network]),
    address: hashed(["address", network]),
    account: hashed(["account", email]),
  };
}

/** Hashed, so that what people type by mistake, a password among it, is kept nowhere. */
function hashed(parts: readonly unknown[]): Buffer {
  return createHash("sha256").update(JSON.stringify(parts)).digest();
}
