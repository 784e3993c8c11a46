import { get, useFormContext } from "react-hook-form";
import type { z } from "zod";
import type { FieldPattern } from "#lib/api/forms.ts";
import type { endpointEdit, Postback } from "#lib/endpoints/schema.ts";

/** What the form for a new endpoint and the one for an existing endpoint have in common. */
export type EndpointSettings = {
  [Name in keyof Edit]-?: Exclude<Edit[Name], undefined>;
} & {
  /** Undefined for a webhook. */
  postback?: Postback | undefined;
};
type Edit = Omit<z.input<typeof endpointEdit>, "postback">;

/** The most specific first, so that an error in one number of the policy lands beside that number. */
export const settingFields = [
  "name",
  "url",
  "postback.content_type",
  "postback.body",
  "postback.sign",
  "postback.method",
  "macro_secrets.*.name",
  "macro_secrets.*.value",
  "macro_secrets",
  "event_types",
  "filters.*.field",
  "filters.*.value",
  "filters.*.values",
  "filters",
  "timeout_ms",
  "retry.max_attempts",
  "retry.base_seconds",
  "retry.cap_seconds",
  "retry",
  "concurrency",
  "rate_limit.amount",
  "rate_limit.burst",
  "rate_limit",
  "ordering",
  "headers.*.name",
  "headers.*.value",
  "headers",
  "response_rules.*.text",
  "response_rules.*.statuses",
  "response_rules",
] as const satisfies FieldPattern<EndpointSettings>[];

type Fault = { message?: string; root?: { message?: string } };

/** What is wrong at a path of the form, be it with a list as a whole or with one of its plain entries. */
export function useFieldMessage(path: string): string | undefined {
  const { formState } = useFormContext<EndpointSettings>();
  const fault: Fault | (Fault | undefined)[] | undefined = get(formState.errors, path);
  const own = (fault as Fault | undefined)?.message ?? (fault as Fault | undefined)?.root?.message;
  return own ?? (Array.isArray(fault) ? fault.find((entry) => entry?.message)?.message : undefined);
}
