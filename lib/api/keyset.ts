import { type AnyColumn, type SQL, sql } from "drizzle-orm";
import { z } from "zod";
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
  return Buffer.from(JSON.stringify([marks[direction], ...key])).toString("base64url");
}

function readCursor(text: string, key: z.ZodType<string[]>): { direction: Direction; key: string[] } {
  let parsed: unknown;
  try {
    const bytes = Buffer.from(text, "base64url");
    parsed = bytes.toString("base64url") === text ? JSON.parse(bytes.toString("utf8")) : null;
  } catch {
    throw foreignCursor();
  }
  const parts = z.tuple([z.enum(marks)], z.string()).safeParse(parsed);
  if (!parts.success) throw foreignCursor();
  const [mark, ...values] = parts.data;
  const checked = key.safeParse(values);
  if (!checked.success) throw foreignCursor();
  return { direction: mark === marks.previous ? "previous" : "next", key: checked.data };
}

function foreignCursor() {
  return invalidField("cursor", "must be the next_cursor or previous_cursor of an earlier answer");
}
