import type { Reason } from "#lib/vocabulary.ts";

/**
 * Why an attempt ended without a request, and the error code that it carries: none could be made, and none ever will.
 * It says nothing about the endpoint, good or bad.
 */
export const unsentCodes = {
  body_purged: "POSTHORN_BODY_PURGED",
  secret_missing: "POSTHORN_SECRET_MISSING",
  unsafe_path_value: "POSTHORN_UNSAFE_PATH_VALUE",
  url_too_long: "POSTHORN_URL_TOO_LONG",
  body_too_long: "POSTHORN_BODY_TOO_LONG",
} as const satisfies Partial<Record<Reason, string>>;

export type UnsentReason = keyof typeof unsentCodes;

/** Whether an attempt with this reason ended before anything was sent. */
export function isUnsent(reason: Reason): reason is UnsentReason {
  return Object.hasOwn(unsentCodes, reason);
}
