import type { FieldKind } from "#lib/vocabulary.ts";

/** A postback's template as it is written and kept; secrets stand in it as `{secret.name}`. */
export type TemplateSource = {
  method: "GET" | "POST";
  url: string;
  body: string | null;
  contentType: "application/json" | "application/x-www-form-urlencoded" | null;
};

/** What a template may use of an event type that the endpoint is subscribed to. */
export type TemplateEventType = { name: string; fields: readonly { name: string; kind: FieldKind }[] };

/** Why a template cannot be saved (product.md, "Postback templates"). */
export type TemplateFaultCode =
  | "unknown_macro"
  | "template_syntax"
  | "foreign_syntax"
  | "html_entity"
  | "macro_in_authority"
  | "userinfo"
  | "fragment"
  | "literal_rewritten"
  | "status_macro_required";

export type TemplatePart = "url" | "body";

/**
 * A place in a template and what to do about it. `suggestion` is what would be right in place of the `length`
 * characters at `at`, which may be none (insert it) or all of them; null where nothing can be offered.
 */
export type TemplateFault = {
  code: TemplateFaultCode;
  part: TemplatePart;
  at: number;
  length: number;
  message: string;
  suggestion: string | null;
};

/** As a fault, but the template can be saved and sent. Messages never hold a value of an event. */
export type TemplateWarning = Omit<TemplateFault, "code"> & { code: "already_encoded" | "literal_secret" };

/** How literal text and values are written where they stand. */
export type TextKind = "url" | "form" | "json";

/** The longest templates, and the longest that may come of them. A rendered URL is ASCII: characters are bytes. */
export const maxUrlTemplateLength = 8_192;
export const maxBodyTemplateLength = 65_536;
export const maxUrlBytes = 8_192;
export const maxBodyLength = 1_048_576;

/** What a body is parsed and encoded as. */
export function bodyKind(contentType: TemplateSource["contentType"]): "form" | "json" {
  return contentType === "application/json" ? "json" : "form";
}
