import { z } from "zod";

/** Text as PostgreSQL can keep it: a lone surrogate would be changed on its way, and NUL is refused. */
export function plainText() {
  return z
    .string()
    .refine(
      (text) => text.isWellFormed() && !text.includes("\0"),
      "must not contain NUL or half a surrogate pair",
    );
}

/** A time with a zone. ISO 8601 has a year 0, PostgreSQL has none. */
export function isoTime() {
  return z.iso
    .datetime({ offset: true, error: "must be an ISO 8601 time with a zone, such as 2026-01-31T12:00:00Z" })
    .refine((text) => !text.startsWith("0000"), "must lie within the years 0001 to 9999");
}
