import { z } from "zod";

/** Some of these words, joined by commas, as a URL has them; each counts once. */
export function listOf<T extends string>(words: readonly T[]) {
  return z
    .string()
    .max(1_000)
    .refine((text) => text.split(",").every((word) => words.includes(word as T)), {
      error: `must be one or more of ${words.join(", ")}, joined by commas`,
    })
    .transform((text) => [...new Set(text.split(","))] as T[]);
}
