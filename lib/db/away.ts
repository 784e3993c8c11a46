/** SQLSTATE classes and codes that say "not now": connection lost, too many, shutting down, serialisation, deadlock. */
const unavailable = /^(08...|53...|57P0[1-5]|40001|40P01|55P03)$/;
const socketErrors = new Set(["ECONNREFUSED", "ECONNRESET", "ENOTFOUND", "EAI_AGAIN", "EPIPE", "ETIMEDOUT"]);
const readTimeout = "Query read timeout";
/** The driver gives these no code. */
const driverMessages = new Set([
  "Connection terminated",
  "Connection terminated unexpectedly",
  "Connection terminated due to connection timeout",
  "timeout exceeded when trying to connect",
  "timeout expired",
  readTimeout,
  "Client has encountered a connection error and is not queryable",
  "Client was closed and is not queryable",
]);

/** Whether the driver's error says that the database cannot be reached or asked right now, and may be later. */
export function isDatabaseAway({ code, message }: { code?: string | undefined; message: string }): boolean {
  if (code !== undefined && (unavailable.test(code) || socketErrors.has(code))) return true;
  return driverMessages.has(message);
}

/** Whether the connection that was asked does not answer, and would answer nothing else either. */
export function isSilent(error: unknown): boolean {
  return error instanceof Error && error.message === readTimeout;
}
