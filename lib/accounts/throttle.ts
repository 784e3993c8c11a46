import { createHash } from "node:crypto";
import type { Queryable } from "#lib/db/database.ts";
import { Problem } from "#lib/errors.ts";

/** Within each `windowMinutes`, which begin with the first try. */
const windowMinutes = 15;
const maxTries = { account: 10, address: 100 } as const;

export type Tries = { email: string; address: string | null };

/**
 * Counts a try to sign in, before it is judged, so that many at once are counted as well: for the account from this
 * address, and for the address. 429 past either limit, with the time until its window ends.
 */
export async function countTry(db: Queryable, tries: Tries): Promise<void> {
  const [account, address] = keysOf(tries);
  const limits = [
    { key: account, max: maxTries.account },
    { key: address, max: maxTries.address },
  ];
  await countTowards(db, limits, "Too many tries to sign in; wait before the next one");
}

/**
 * Counts one more of what `of` names, such as invitations by somebody. 429 past `max` within 15 minutes, with the time
 * until the window ends.
 */
export async function countUse(
  db: Queryable,
  { of, max, detail }: { of: readonly unknown[]; max: number; detail: string },
): Promise<void> {
  await countTowards(db, [{ key: hashed(of), max }], detail);
}

/** In the database, so that it holds over all processes and restarts. */
async function countTowards(
  db: Queryable,
  limits: { key: Buffer; max: number }[],
  detail: string,
): Promise<void> {
  const keys = limits.map(({ key }) => key);
  const { rows } = await db.query<{ key: Buffer; tries: number; ends_in: number }>(
    `with expired as (
       delete from posthorn.sign_in_tries where key in (
         select key from posthorn.sign_in_tries where ends_at < now() and key <> all($1)
         order by ends_at limit 100 for update skip locked)
     )
     insert into posthorn.sign_in_tries as t (key, tries, ends_at)
     select key, 1, now() + make_interval(mins => $2) from unnest($1::bytea[]) key order by key
     on conflict (key) do update set
       tries = case when t.ends_at < now() then 1 else t.tries + 1 end,
       ends_at = case when t.ends_at < now() then excluded.ends_at else t.ends_at end
     returning key, tries, ceil(extract(epoch from ends_at - now()))::int as ends_in`,
    [keys, windowMinutes],
  );
  const waits = rows
    .filter((row) => row.tries > (limits.find(({ key }) => key.equals(row.key))?.max ?? 0))
    .map((row) => row.ends_in);
  if (waits.length === 0) return;
  throw new Problem("too_many_requests", detail, [], { retryAfterSeconds: Math.max(1, ...waits) });
}

/** A try that was right counts for nothing, and ends the account's row of wrong ones. */
export async function forgetTries(db: Queryable, tries: Tries): Promise<void> {
  const [account, address] = keysOf(tries);
  await db.query(
    `with forgotten as (delete from posthorn.sign_in_tries where key = $1)
     update posthorn.sign_in_tries set tries = greatest(tries - 1, 0) where key = $2`,
    [account, address],
  );
}

function keysOf({ email, address }: Tries): [Buffer, Buffer] {
  return [hashed(["account", email, address]), hashed(["address", address])];
}

/** Hashed, so that what people type by mistake, a password among it, is kept nowhere. */
function hashed(parts: readonly unknown[]): Buffer {
  return createHash("sha256").update(JSON.stringify(parts)).digest();
}
