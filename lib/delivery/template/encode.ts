import type { TextKind } from "./types.ts";

const unreserved = /^[A-Za-z0-9\-._~]*$/;
const plainInForm = /^[A-Za-z0-9\-._*]*$/;
/** What needs an escape, or a look, in a JSON string. */
const plainInJson = /^[ !#-[\]-z|}~]*$/;

/** A value as RFC 3986 writes it: UTF-8, everything but the unreserved marks percent-encoded. */
function encodeForUrl(value: string): string {
  if (unreserved.test(value)) return value;
  return encodeURIComponent(value.toWellFormed()).replace(/[!'()*]/g, percent);
}

/** A value as the WHATWG's application/x-www-form-urlencoded serializer writes it: a space is a plus. */
function encodeForForm(value: string): string {
  if (plainInForm.test(value)) return value;
  return encodeURIComponent(value.toWellFormed())
    .replace(/[!'()~]/g, percent)
    .replaceAll("%20", "+");
}

/** A value inside a JSON string. `{` is escaped as well, so that no value can look like a secret's macro. */
function encodeForJson(value: string): string {
  if (plainInJson.test(value)) return value;
  return JSON.stringify(value.toWellFormed()).slice(1, -1).replaceAll("{", "\\u007b");
}

export const encoders = {
  url: encodeForUrl,
  form: encodeForForm,
  json: encodeForJson,
} satisfies Record<TextKind, (value: string) => string>;

const jsonScalar = /^(?:-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null)$/;

/** Whether this can stand in JSON outside a string, with the digits it has. */
export function isJsonScalar(text: string): boolean {
  return jsonScalar.test(text);
}

/** A value in JSON outside a string: as it is if JSON can say it so, else as a string, never as raw text. */
export function encodeAsJsonScalar(value: string): string {
  return isJsonScalar(value) ? value : `"${encodeForJson(value)}"`;
}

/** Whether a value seems to be percent-encoded already, and would be encoded twice. */
export function looksEncoded(value: string): boolean {
  return /%[0-9A-Fa-f]{2}/.test(value);
}

function percent(mark: string): string {
  return `%${mark.charCodeAt(0).toString(16).toUpperCase()}`;
}
