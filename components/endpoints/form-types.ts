import type { Path } from "react-hook-form";
import type { EndpointCreate } from "#lib/endpoints/schema.ts";

/** What the form for a new endpoint and the one for an existing endpoint have in common. */
export type EndpointSettings = Omit<
  EndpointCreate,
  "affiliate" | "rate_limit" | "headers" | "response_rules"
>;

/** The most specific first, so that an error in one number of the policy lands beside that number. */
export const settingFields = [
  "name",
  "url",
  "event_types",
  "timeout_ms",
  "retry.max_attempts",
  "retry.base_seconds",
  "retry.cap_seconds",
  "retry",
  "concurrency",
] as const satisfies Path<EndpointSettings>[];
