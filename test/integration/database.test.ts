import { expect, test } from "vitest";
import { createDatabase, inClientTransaction } from "#lib/db/database.ts";
import { createTestDatabase } from "#test/helpers/postgres.ts";

test("a connection lost between two statements of a transaction rejects it, and ends no process", async () => {
  const { url, pool: admin } = await createTestDatabase();
  const { pool } = createDatabase({
    url,
    maxConnections: 1,
    applicationName: "posthorn-lost",
    statementTimeoutMs: 5_000,
    onError: () => undefined,
  });
  const work = inClientTransaction(pool, async (client) => {
    const lost = new Promise((resolve) => client.once("end", resolve));
    await admin.query(
      "select pg_terminate_backend(pid) from pg_stat_activity where application_name = 'posthorn-lost'",
    );
    await lost;
    await client.query("select 1");
  });
  await expect(work).rejects.toThrow();
  const again = await inClientTransaction(pool, (client) => client.query("select 1 as one"));
  expect(again.rows).toEqual([{ one: 1 }]);
  await pool.end();
});
