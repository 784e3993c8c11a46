import fc from "fast-check";
import { beforeAll, expect, test } from "vitest";
import { bigintArray, byteaArray, doubleArray, textArray } from "#lib/db/arrays.ts";
import { createTestDatabase, type TestDatabase } from "#test/helpers/postgres.ts";

let db: TestDatabase;
beforeAll(async () => {
  db = await createTestDatabase();
});

/** What PostgreSQL makes of an array: its elements, as JSON. */
async function readBack(type: string, value: Buffer): Promise<unknown[]> {
  const element = type === "bytea" ? "encode(v, 'hex')" : type === "bigint" ? "v::text" : "v";
  const { rows } = await db.pool.query(
    `select coalesce(json_agg(${element} order by at), '[]') as read from unnest($1::${type}[]) with ordinality t (v, at)`,
    [value],
  );
  return rows[0].read;
}

const runs = { numRuns: 50 };

test("text comes back as it was, nulls and what a literal would have to quote included", async () => {
  // PostgreSQL stores no NUL in text, and UTF-8 has no lone surrogates.
  const text = fc
    .string({ unit: "binary" })
    .map((value) => value.replaceAll("\0", ""))
    .filter((value) => value.isWellFormed());
  await fc.assert(
    fc.asyncProperty(fc.array(fc.option(text)), async (values) => {
      expect(await readBack("text", textArray(values))).toEqual(values);
    }),
    { ...runs, examples: [[[]], [["", null, 'NULL "{,}\\', "é😀\r\n"]]] },
  );
});

test("bytes come back as they were", async () => {
  const bytes = fc.uint8Array().map((value) => Buffer.from(value));
  await fc.assert(
    fc.asyncProperty(fc.array(fc.option(bytes)), async (values) => {
      expect(await readBack("bytea", byteaArray(values))).toEqual(
        values.map((value) => value?.toString("hex") ?? null),
      );
    }),
    runs,
  );
});

test("so do bigints and doubles", async () => {
  const bigints = fc.array(fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }).map(String));
  await fc.assert(
    fc.asyncProperty(bigints, async (values) => {
      expect(await readBack("bigint", bigintArray(values))).toEqual(values);
    }),
    runs,
  );
  const doubles = fc.array(fc.double({ noNaN: true, noDefaultInfinity: true }).map((value) => value + 0));
  await fc.assert(
    fc.asyncProperty(doubles, async (values) => {
      expect(await readBack("float8", doubleArray(values))).toEqual(values.map((value) => value || 0));
    }),
    runs,
  );
  const { rows } = await db.pool.query("select ($1::float8[])[2] = 'NaN' as nan", [
    doubleArray([1, Number.NaN]),
  ]);
  expect(rows[0].nan).toBe(true);
});
