import { createHmac } from "node:crypto";
import { symmetricDecrypt } from "better-auth/crypto";
import { betterAuthInstance } from "#lib/auth/better-auth.ts";
import type { Queryable } from "#lib/db/database.ts";

const stepMs = 30_000;

/**
 * Uses up the time step of a code, so that the code opens nothing a second time (RFC 6238, 5.2). False when it or a later
 * one was used before; of two at once one gets it. True for what is no code of now, which is for others to refuse.
 */
export async function takeStep(
  db: Queryable,
  { userId, code }: { userId: string; code: string },
): Promise<boolean> {
  const { rows } = await db.query<{ id: string; secret: string }>(
    "select id, secret from posthorn.two_factors where user_id = $1",
    [userId],
  );
  const [factor] = rows;
  if (!factor) return true;
  const { secretConfig: key } = await betterAuthInstance().$context;
  const secret = await symmetricDecrypt({ key, data: factor.secret });
  const step = stepOf(code, { secret, nowMs: Date.now() });
  if (step === null) return true;
  const { rowCount } = await db.query(
    "update posthorn.two_factors set last_step = $2 where id = $1 and coalesce(last_step, -1) < $2",
    [factor.id, step],
  );
  return rowCount === 1;
}

/** Of the step now, the one before and the one after, as better-auth takes them. */
function stepOf(code: string, { secret, nowMs }: { secret: string; nowMs: number }): number | null {
  const now = Math.floor(nowMs / stepMs);
  return [now + 1, now, now - 1].find((step) => codeAt(step, secret) === code) ?? null;
}

/** RFC 4226: HMAC-SHA-1, six digits. */
function codeAt(step: number, secret: string): string {
  const counter = Buffer.alloc(8);
  counter.writeBigUInt64BE(BigInt(step));
  const hash = createHmac("sha1", secret).update(counter).digest();
  const number = hash.readUInt32BE((hash.at(-1) ?? 0) & 0xf) & 0x7fffffff;
  return String(number % 1_000_000).padStart(6, "0");
}
