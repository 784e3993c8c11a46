import { isDatabaseAway } from "#lib/db/away.ts";
import { Problem } from "#lib/errors.ts";

const queryCanceled = "57014";

/** A 503 for an error that says that the database is away or too slow; null for every other error. */
export function databaseProblem(error: unknown): Problem | null {
  const inner = innermost(error);
  if (inner.code === queryCanceled) {
    return new Problem(
      "database_timeout",
      "The statement took too long and was stopped; narrow it or try again",
    );
  }
  if (isDatabaseAway(inner)) {
    return new Problem("database_unavailable", "The database cannot be reached right now; try again");
  }
  return null;
}

/** Whether a statement failed because a row with this key is there already. */
export function isUniqueViolation(error: unknown, constraint: string): boolean {
  const inner = innermost(error);
  return inner.code === "23505" && inner.constraint === constraint;
}

/** Drizzle wraps the driver's error. */
function innermost(error: unknown): { code?: string; constraint?: string; message: string } {
  let inner = error;
  while (inner instanceof Error && "query" in inner && inner.cause instanceof Error) inner = inner.cause;
  return inner instanceof Error ? inner : { message: "" };
}
