import { Problem } from "#lib/errors.ts";

/** SQLSTATE classes and codes that say "not now": connection lost, too many, shutting down, serialisation, deadlock. */
const unavailable = /^(08...|53...|57P0[1-5]|40001|40P01|55P03)$/;
const queryCanceled = "57014";
const socketErrors = new Set(["ECONNREFUSED", "ECONNRESET", "ENOTFOUND", "EAI_AGAIN", "EPIPE", "ETIMEDOUT"]);
/** The driver gives these no code. */
const driverMessages = new Set([
  "Connection terminated",
  "Connection terminated unexpectedly",
  "Connection terminated due to connection timeout",
  "timeout exceeded when trying to connect",
  "timeout expired",
  "Client has encountered a connection error and is not queryable",
  "Client was closed and is not queryable",
]);

/** A 503 for an error that says that the database is away or too slow; null for every other error. */
export function databaseProblem(error: unknown): Problem | null {
  const { code, message } = innermost(error);
  if (code === queryCanceled) {
    return new Problem(
      "database_timeout",
      "The statement took too long and was stopped; narrow it or try again",
    );
  }
  if (
    (code !== undefined && (unavailable.test(code) || socketErrors.has(code))) ||
    driverMessages.has(message)
  ) {
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
