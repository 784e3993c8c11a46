import { verifyPassword } from "better-auth/crypto";
import type { SessionActor } from "#lib/auth/session.ts";
import { appDatabase } from "#lib/db/app.ts";
import { selectPasswordHash } from "./queries.ts";
import { countTry, forgetTries } from "./throttle.ts";

/**
 * The stored hash of the actor's password if `password` is it, else null. Counted as a try to sign in, so that a session
 * that was left open does not let somebody guess: 429 past the limit.
 */
export async function confirmPassword(actor: SessionActor, password: string): Promise<string | null> {
  const { orm, pool } = appDatabase();
  const tries = { email: actor.email, address: actor.from.address };
  const counted = await countTry(pool, tries);
  const hash = await selectPasswordHash(orm, actor.id);
  if (hash === null || !(await verifyPassword({ hash, password }))) return null;
  await forgetTries(pool, tries, counted);
  return hash;
}
