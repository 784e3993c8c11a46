import { createHmac, hkdfSync, timingSafeEqual } from "node:crypto";
import { type AnyColumn, type SQL, sql } from "drizzle-orm";
import { z } from "zod";
import { secretKeys } from "#lib/config.ts";
import { invalidField } from "#lib/errors.ts";
import type { Page, PageQuery } from "./paging.ts";

type Keyset = {
  /** Undefined on the first page. */
  where: SQL | undefined;
  orderBy: SQL;
  /** One more than a page holds, to learn whether there is another. */
  fetch: number;
  /** Makes the page of the rows that were fetched; `key` gives a row's values of the key's columns. */
  page: <Row, Item>(
    rows: Row[],
    options: { key: (row: Row) => string[]; item: (row: Row) => Item },
  ) => Page<Item>;
};

/**
 * Paging by key: each page starts where its neighbour ended, at the price of one index probe however deep it
 * lies. `columns` must be unique together and have an index in this order; `key` checks the values of a cursor,
 * which is opaque to callers. Throws a 422 for one that we did not make.
 */
export function keyset(
  query: PageQuery,
  options: { columns: (AnyColumn | SQL)[]; key: z.ZodType<string[]>; order: "ascending" | "descending" },
): Keyset {
  const cursor = query.cursor === undefined ? null : readCursor(query.cursor, options.key);
  const backwards = cursor?.direction === "previous";
  const ascending = (options.order === "ascending") !== backwards;
  const columns = sql.join(options.columns, sql`, `);
  const direction = ascending ? sql`asc` : sql`desc`;
  const where = cursor
    ? sql`(${columns}) ${ascending ? sql`>` : sql`<`} (${sql.join(
        cursor.key.map((value) => sql`${value}`),
        sql`, `,
      )})`
    : undefined;
  return {
    where,
    orderBy: sql.join(
      options.columns.map((column) => sql`${column} ${direction}`),
      sql`, `,
    ),
    fetch: query.limit + 1,
    page: (rows, { key, item }) => {
      const hasMore = rows.length > query.limit;
      const kept = rows.slice(0, query.limit);
      if (backwards) kept.reverse();
      const [first, last] = [kept[0], kept.at(-1)];
      return {
        data: kept.map(item),
        next_cursor: last && (backwards || hasMore) ? writeCursor("next", key(last)) : null,
        previous_cursor:
          first && (backwards ? hasMore : cursor !== null) ? writeCursor("previous", key(first)) : null,
      };
    },
  };
}

type Direction = "next" | "previous";
const marks = { next: "n", previous: "p" } as const;

function writeCursor(direction: Direction, key: string[]): string {
  const position = Buffer.from(JSON.stringify([marks[direction], ...key])).toString("base64url");
  return `${position}.${signatureOf(position, secretKeys()[0]).toString("base64url")}`;
}

function readCursor(text: string, key: z.ZodType<string[]>): { direction: Direction; key: string[] } {
  const [position = "", signature = "", ...more] = text.split(".");
  const given = Buffer.from(signature, "base64url");
  const isOurs = secretKeys().some((secretKey) => isSame(given, signatureOf(position, secretKey)));
  if (!isOurs || more.length > 0 || given.toString("base64url") !== signature) throw foreignCursor();
  const [mark, ...values] = signed.parse(JSON.parse(Buffer.from(position, "base64url").toString("utf8")));
  // It may be one of another list, or of this one in another order.
  const checked = key.safeParse(values);
  if (!checked.success) throw foreignCursor();
  return { direction: mark === marks.previous ? "previous" : "next", key: checked.data };
}

const signed = z.tuple([z.enum(marks)], z.string());
const signatureBytes = 12;

/** Of what a cursor says, so that nobody but us can make one, or change it. */
function signatureOf(position: string, secretKey: Buffer): Buffer {
  const derived = Buffer.from(hkdfSync("sha256", secretKey, "", "posthorn cursors", 32));
  return createHmac("sha256", derived).update(position).digest().subarray(0, signatureBytes);
}

function isSame(a: Buffer, b: Buffer): boolean {
  return a.length === b.length && timingSafeEqual(a, b);
}

function foreignCursor() {
  return invalidField("cursor", "must be the next_cursor or previous_cursor of an earlier answer");
}
