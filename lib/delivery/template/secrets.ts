import { encoders } from "./encode.ts";
import { builtIn, secretOf } from "./names.ts";
import { type MacroToken, parseTemplate } from "./parse.ts";
import { bodyKind, maxBodyLength, maxUrlBytes, type TemplateSource, type TextKind } from "./types.ts";
import { isDotSegment, pathStart } from "./url-text.ts";

export type FilledSecrets =
  | { kind: "filled"; url: string; body: string | null }
  | { kind: "failed"; reason: "unknown_secret"; name: string }
  | { kind: "failed"; reason: "unsafe_path_value" | "url_too_long" | "body_too_long" };

/**
 * Puts secrets into a rendered URL and body at send, encoded for where they stand. Values cannot be taken for a
 * secret's macro: in a URL and a form their braces are percent-encoded, in JSON they are \u007b.
 * The lengths and the path are looked at again, now that they are complete.
 */
export function fillSecrets(
  rendered: { url: string; body: string | null; contentType: TemplateSource["contentType"] },
  secrets: ReadonlyMap<string, string>,
): FilledSecrets {
  const unknown = unknownSecret(rendered, secrets);
  if (unknown !== null) return { kind: "failed", reason: "unknown_secret", name: unknown };
  const url = fillText(rendered.url, "url", secrets);
  if (hasUnsafeSecret(rendered.url, secrets)) return { kind: "failed", reason: "unsafe_path_value" };
  if (url.length > maxUrlBytes) return { kind: "failed", reason: "url_too_long" };
  if (rendered.body === null) return { kind: "filled", url, body: null };
  const body = fillText(rendered.body, bodyKind(rendered.contentType), secrets);
  if (body.length > maxBodyLength) return { kind: "failed", reason: "body_too_long" };
  return { kind: "filled", url, body };
}

const secretMacro = /\{secret\.([A-Za-z0-9_-]{1,64})\}/g;

function fillText(text: string, kind: TextKind, secrets: ReadonlyMap<string, string>): string {
  if (!text.includes("{secret.")) return text;
  return text.replace(secretMacro, (_, name: string) => encoders[kind](secrets.get(name) ?? ""));
}

function unknownSecret(
  { url, body }: { url: string; body: string | null },
  secrets: ReadonlyMap<string, string>,
): string | null {
  for (const text of [url, body ?? ""]) {
    if (!text.includes("{secret.")) continue;
    for (const { 1: name = "" } of text.matchAll(secretMacro)) if (!secrets.has(name)) return name;
  }
  return null;
}

function hasUnsafeSecret(url: string, secrets: ReadonlyMap<string, string>): boolean {
  const start = pathStart(url);
  const query = url.indexOf("?", start);
  const path = url.slice(start, query === -1 ? url.length : query);
  if (!path.includes("{secret.")) return false;
  return path.split("/").some((segment) => {
    const filled = fillText(segment, "url", secrets);
    return filled !== segment && (filled === "" || isDotSegment(filled));
  });
}

/** The secrets that a template uses, without repeats. Total: text that is not a template uses none. */
export function secretNamesOf(source: TemplateSource): string[] {
  return distinct(macrosOf(source).flatMap(({ name }) => secretOf(name) ?? []));
}

/** The fields that a template uses, without repeats, secrets and what every event has beside its own time. Total. */
export function macroNamesOf(source: TemplateSource): string[] {
  return distinct(
    macrosOf(source)
      .map(({ name }) => name)
      .filter(
        (name) => !name.startsWith("secret.") && (builtIn(name) === undefined || name === "occurred_at"),
      ),
  );
}

function macrosOf({ url, body, contentType }: TemplateSource): MacroToken[] {
  const tokens = parseTemplate(url, "url").tokens;
  const inBody = body === null ? [] : parseTemplate(body, bodyKind(contentType)).tokens;
  return [...tokens, ...inBody].filter((token) => token.kind === "macro");
}

function distinct(names: string[]): string[] {
  return [...new Set(names)];
}
