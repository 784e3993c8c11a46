import type { z } from "zod";
import { type FieldError, Problem } from "#lib/errors.ts";
import { issueWords } from "./issue-words.ts";

/** zod's issues as field errors: the path with dots, and what was expected. `root` names the input as a whole. */
export function fieldErrors(error: z.ZodError, root: string): FieldError[] {
  return error.issues.flatMap((issue) => {
    const path = issue.path.map(String);
    if (issue.code === "unrecognized_keys") {
      return issue.keys.map((key) => ({ field: [...path, key].join("."), message: "is not a known field" }));
    }
    return [{ field: path.join(".") || root, message: issue.message }];
  });
}

/** The input as its schema gives it; throws a 422 that names every field at fault. */
export function parseInput<T>(schema: z.ZodType<T>, input: unknown, root: string): T {
  const result = schema.safeParse(input, { error: issueWords });
  if (result.success) return result.data;
  throw invalidInput(fieldErrors(result.error, root));
}

export function invalidInput(errors: FieldError[]): Problem {
  const fields = [...new Set(errors.map((error) => error.field))];
  return new Problem("invalid_input", `Not valid: ${fields.slice(0, 10).join(", ")}`, errors.slice(0, 100));
}
