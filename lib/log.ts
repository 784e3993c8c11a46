import pino, { type Logger } from "pino";
import { config } from "./config.ts";

export type { Logger };

/**
 * Names under which secrets and payloads travel. Nobody should log them; this is the second fence.
 * pino's wildcards match one level each, so the lists cover the top and one level below.
 */
const sensitiveNames = [
  "authorization",
  "headers",
  "password",
  "secret",
  "secrets",
  "api_key",
  "apiKey",
  "secretKey",
  "databaseUrl",
  "data",
  "body",
  "payload",
];

/** A JSON line logger on stdout; `service` names the process or the part of it, such as `worker`. */
export function createLogger(service: string): Logger {
  return pino({
    level: config().logLevel,
    base: { service, pid: process.pid },
    timestamp: pino.stdTimeFunctions.isoTime,
    formatters: { level: (label) => ({ level: label }) },
    redact: { paths: sensitiveNames.flatMap((name) => [name, `*.${name}`]), censor: "[redacted]" },
    serializers: { err: describeError, error: describeError },
  });
}

/**
 * What of an error may be logged. A database error's message and detail repeat the values of the statement,
 * so of these only the code and the names of things are kept.
 */
export function describeError(error: unknown): Record<string, unknown> {
  if (!(error instanceof Error)) return { type: typeof error };
  const { cause } = error;
  if ("query" in error && cause instanceof Error) return describeError(cause);
  const frames = error.stack
    ?.split("\n")
    .filter((line) => line.startsWith("    at "))
    .join("\n");
  const { code, severity, table, constraint, routine } = error as unknown as Record<string, unknown>;
  if (severity !== undefined) return { type: "DatabaseError", code, table, constraint, routine, frames };
  return {
    type: error.name,
    message: error.message,
    ...(code !== undefined && { code }),
    ...(cause !== undefined && { cause: describeError(cause) }),
    frames,
  };
}
