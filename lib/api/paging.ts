import { z } from "zod";

/** Lists are bounded: at most `limit` items, and cursors for the pages on either side. */
export const pageQuery = z.object({
  limit: z.coerce.number<string | number>().int().min(1).max(100).default(50),
  cursor: z.string().max(500).optional(),
});
export type PageQuery = z.infer<typeof pageQuery>;

export type Page<T> = {
  data: T[];
  next_cursor: string | null;
  previous_cursor: string | null;
};

/** A count that stops early: `capped` means "at least". */
export type CappedCount = { count: number; capped: boolean };

/** The count of something that was counted no further than one beyond `countedTo`. */
export function capCount(count: number, countedTo: number): CappedCount {
  return { count: Math.min(count, countedTo), capped: count > countedTo };
}
