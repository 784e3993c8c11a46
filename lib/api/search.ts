import { type AnyColumn, type SQL, sql } from "drizzle-orm";

/** Whether the column contains the text, whatever its case; what LIKE would read as a pattern is literal. */
export function contains(column: AnyColumn, text: string): SQL {
  return sql`${column} ilike ${`%${text.replace(/[\\%_]/g, "\\$&")}%`}`;
}
