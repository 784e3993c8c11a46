import type { Queryable } from "#lib/db/database.ts";
import { ciphertextPrefix, decryptSecret, encryptSecret } from "#lib/secrets.ts";

export const reencryptBatchSize = 200;

/**
 * Encrypts with the current key what an earlier one encrypted, a batch at a time; call again while it changes as
 * many. `keys`: the current one first. Only what these keys can read is taken, so one call never meets another's
 * fault; a row that changed meanwhile is left for the next call.
 */
export async function reencryptSecrets(db: Queryable, keys: readonly Buffer[]): Promise<number> {
  const [current, ...previous] = keys;
  if (!current || previous.length === 0) return 0;
  const { rows } = await db.query<{ id: string; ciphertext: Buffer }>(
    `select id, ciphertext from posthorn.endpoint_secrets
     where substring(ciphertext from 1 for 5) = any($1::bytea[]) limit ${reencryptBatchSize}`,
    [previous.map(ciphertextPrefix)],
  );
  for (const { id, ciphertext } of rows) {
    const plain = decryptSecret(ciphertext, { keys, context: id });
    await db.query("update posthorn.endpoint_secrets set ciphertext = $3 where id = $1 and ciphertext = $2", [
      id,
      ciphertext,
      encryptSecret(plain, { key: current, context: id }),
    ]);
  }
  return rows.length;
}
