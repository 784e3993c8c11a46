import type { Queryable } from "#lib/db/database.ts";
import { ciphertextPrefix, decryptSecret, encryptSecret } from "#lib/secrets.ts";

export const reencryptBatchSize = 200;

/** Where ciphertexts are; each belongs to the id of its own row. */
const places = [
  { table: "posthorn.endpoint_secrets", id: "id", column: "ciphertext" },
  { table: "posthorn.endpoints", id: "id", column: "header_values" },
  { table: "posthorn.endpoints", id: "id", column: "macro_secret_values" },
  { table: "posthorn.notice_settings", id: "user_id", column: "webhook_secret" },
  { table: "posthorn.endpoint_changes", id: "id", column: "edit" },
];

/**
 * Encrypts with the current key what an earlier one encrypted, a batch at a time; call again while it changes as
 * many. `keys`: the current one first. Only what these keys can read is taken, so one call never meets another's
 * fault; a row that changed meanwhile is left for the next call.
 */
export async function reencryptSecrets(db: Queryable, keys: readonly Buffer[]): Promise<number> {
  const [current, ...previous] = keys;
  if (!current || previous.length === 0) return 0;
  let left = reencryptBatchSize;
  for (const { table, id: key, column } of places) {
    const { rows } = await db.query<{ id: string; ciphertext: Buffer }>(
      `select ${key} as id, ${column} as ciphertext from ${table}
       where substring(${column} from 1 for 5) = any($1::bytea[]) limit ${left}`,
      [previous.map(ciphertextPrefix)],
    );
    for (const { id, ciphertext } of rows) {
      const plain = decryptSecret(ciphertext, { keys, context: id });
      await db.query(`update ${table} set ${column} = $3 where ${key} = $1 and ${column} = $2`, [
        id,
        ciphertext,
        encryptSecret(plain, { key: current, context: id }),
      ]);
    }
    left -= rows.length;
  }
  return reencryptBatchSize - left;
}
