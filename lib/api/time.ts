import { z } from "zod";

/** A time as filters take it. ISO 8601 has a year 0, PostgreSQL has none. */
export const isoTime = z.iso
  .datetime({ offset: true, error: "must be an ISO 8601 time with a zone, such as 2026-01-31T12:00:00Z" })
  .refine((text) => !text.startsWith("0000"), "must lie within the years 0001 to 9999");
