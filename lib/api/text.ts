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
