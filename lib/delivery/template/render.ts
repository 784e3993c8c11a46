import { encodeAsJsonScalar, encoders, looksEncoded } from "./encode.ts";
import { compileFunctions, type ValueFunction } from "./functions.ts";
import { builtIn, type RenderInput, secretOf } from "./names.ts";
import { type MacroToken, parseTemplate, type Token } from "./parse.ts";
import {
  bodyKind,
  maxBodyLength,
  maxUrlBytes,
  type TemplatePart,
  type TemplateSource,
  type TemplateWarning,
  type TextKind,
} from "./types.ts";
import { isDotSegment, pathSegments, pathStart } from "./url-text.ts";

export type { RenderInput } from "./names.ts";

type CompiledMacro = {
  token: MacroToken;
  /** Undefined or empty: missing. Secrets have none: they stay as they are written. */
  read: ((input: RenderInput) => string | undefined) | null;
  functions: readonly ValueFunction[];
  fallback: string | null;
  encode: (value: string) => string;
  /** Whether a value that looks encoded is worth a warning. */
  isEncoded: boolean;
};

type CompiledText = { part: TemplatePart; pieces: readonly (string | CompiledMacro)[] };

/** A checked template, ready to be rendered; good for as long as its source does not change. */
export type CompiledTemplate = {
  url: CompiledText;
  body: CompiledText | null;
  /** Segments of the path that hold a macro: literal text, and places in `url.pieces`. */
  pathSegments: readonly (readonly (string | number)[])[];
  needsClickId: boolean;
};

export type RenderResult =
  | { kind: "rendered"; url: string; body: string | null; warnings: TemplateWarning[] }
  | { kind: "skipped"; reason: "missing_click_id" }
  | { kind: "failed"; reason: RenderFailure };
type RenderFailure = "unsafe_path_value" | "unmapped_value" | "url_too_long" | "body_too_long";

/** What one macro came to: its text where it stands, the value it has after its functions, and how. */
type Filled = { text: string; value: string | null; usedDefault: boolean; isUnmapped: boolean };

/** Parses a template that checkTemplate accepted, as it came back from there. Total; to be cached by the caller. */
export function compileTemplate(source: TemplateSource): CompiledTemplate {
  const tokens = parseTemplate(source.url, "url").tokens;
  const places = new Map(tokens.map((token, place) => [token, place]));
  const body = source.body === null ? null : parseTemplate(source.body, bodyKind(source.contentType)).tokens;
  return {
    url: compileText("url", tokens, "url"),
    body: body && compileText("body", body, bodyKind(source.contentType)),
    pathSegments: pathSegments(tokens, pathStart(source.url))
      .filter((parts) => parts.some((part) => typeof part !== "string"))
      .map((parts) => parts.map((part) => (typeof part === "string" ? part : (places.get(part) as number)))),
    needsClickId: [...tokens, ...(body ?? [])].some(
      (token) => token.kind === "macro" && token.name === "click_id" && token.fallback === null,
    ),
  };
}

function compileText(part: TemplatePart, tokens: readonly Token[], kind: TextKind): CompiledText {
  return {
    part,
    pieces: tokens.map((token) => (token.kind === "literal" ? token.text : compileMacro(token, kind))),
  };
}

function compileMacro(token: MacroToken, kind: TextKind): CompiledMacro {
  const { name, calls, fallback } = token;
  const isScalar = token.place === "scalar";
  return {
    token,
    read: secretOf(name) === null ? reader(token) : null,
    functions: compileFunctions(calls),
    fallback: fallback ?? (isScalar ? "null" : null),
    encode: isScalar ? encodeAsJsonScalar : encoders[kind],
    isEncoded: kind !== "json",
  };
}

function reader({ name, calls }: MacroToken): (input: RenderInput) => string | undefined {
  const own = builtIn(name);
  if (!own) return (input) => input.values.get(name);
  // These functions take ISO 8601, which seconds and milliseconds are not.
  const takesTime = own.isOccurredAt && (calls[0]?.name === "tz" || calls[0]?.name === "date");
  return takesTime ? (builtIn("occurred_at")?.read ?? own.read) : own.read;
}

/**
 * Renders a postback: values encoded once where they stand, literal text as it is, secrets still as macros.
 * `skipped`: it uses a click id that the event does not have. `failed`: this event can never be sent so.
 */
export function renderTemplate(template: CompiledTemplate, input: RenderInput): RenderResult {
  if (template.needsClickId && !input.values.get("click_id")) {
    return { kind: "skipped", reason: "missing_click_id" };
  }
  const warnings: TemplateWarning[] = [];
  const urlParts: string[] = [];
  const failure = fill(template.url, input, urlParts, warnings);
  if (failure !== null) return { kind: "failed", reason: failure };
  if (hasUnsafeSegment(template, urlParts)) return { kind: "failed", reason: "unsafe_path_value" };
  if (template.body === null) return { kind: "rendered", url: urlParts.join(""), body: null, warnings };
  const bodyParts: string[] = [];
  const bodyFailure = fill(template.body, input, bodyParts, warnings);
  if (bodyFailure !== null) return { kind: "failed", reason: bodyFailure };
  return { kind: "rendered", url: urlParts.join(""), body: bodyParts.join(""), warnings };
}

function fill(
  { part, pieces }: CompiledText,
  input: RenderInput,
  parts: string[],
  warnings: TemplateWarning[],
): RenderFailure | null {
  let left = part === "url" ? maxUrlBytes : maxBodyLength;
  let leftToRead = maxReadByFunctions;
  for (const piece of pieces) {
    if (typeof piece === "string") {
      parts.push(piece);
      left -= piece.length;
    } else {
      leftToRead -= readByFunctions(piece, input);
      if (leftToRead < 0) return part === "url" ? "url_too_long" : "body_too_long";
      const filled = fillMacro(piece, input);
      if (filled.isUnmapped) return "unmapped_value";
      parts.push(filled.text);
      left -= filled.text.length;
      if (piece.isEncoded && filled.value !== null && !filled.usedDefault && looksEncoded(filled.value)) {
        warnings.push(alreadyEncoded(part, piece.token));
      }
    }
    // Before the next value, so that a huge one in a thousand places costs no more than one.
    if (left < 0) return part === "url" ? "url_too_long" : "body_too_long";
  }
  return null;
}

/** Functions make short of long, as hashes do, so that the length of what comes out bounds no time. In characters. */
const maxReadByFunctions = 4 * maxBodyLength;

function readByFunctions({ read, functions }: CompiledMacro, input: RenderInput): number {
  return functions.length === 0 ? 0 : (read?.(input)?.length ?? 0) * functions.length;
}

function fillMacro(macro: CompiledMacro, input: RenderInput): Filled {
  if (macro.read === null) {
    return { text: macro.token.written, value: null, usedDefault: false, isUnmapped: false };
  }
  const given = macro.read(input);
  if (given === undefined || given === "") {
    const text = macro.fallback === null ? "" : macro.encode(macro.fallback);
    const usedDefault = macro.token.fallback !== null;
    return { text, value: macro.token.fallback, usedDefault, isUnmapped: false };
  }
  let value = given;
  for (const apply of macro.functions) {
    const next = apply(value);
    if (next === null) return { text: "", value: null, usedDefault: false, isUnmapped: true };
    value = next;
  }
  return { text: macro.encode(value), value, usedDefault: false, isUnmapped: false };
}

/** A value may not take segments out of the path or leave one empty (product.md, `unsafe_path_value`). */
function hasUnsafeSegment(template: CompiledTemplate, urlParts: readonly string[]): boolean {
  return template.pathSegments.some((parts) => {
    const segment = parts.map((part) => (typeof part === "string" ? part : (urlParts[part] ?? ""))).join("");
    return segment === "" || isDotSegment(segment);
  });
}

function alreadyEncoded(part: TemplatePart, { written, at }: MacroToken): TemplateWarning {
  return {
    code: "already_encoded",
    part,
    at,
    length: written.length,
    message: `The value of ${written} seems to be encoded already, and is encoded once more. Publish plain values.`,
    suggestion: null,
  };
}

/** A stretch of what is sent; `from` is null for literal text, else says which macro it comes from. */
export type TracePiece = {
  text: string;
  from: null | { macro: string; name: string; value: string | null; usedDefault: boolean };
};

/**
 * The same rendering, cut into pieces that trace each value to its macro; they add up to what renderTemplate makes.
 * Pieces are there for what is skipped or fails too, and say with an empty text where a value is missing.
 */
export function traceTemplate(
  template: CompiledTemplate,
  input: RenderInput,
): { result: RenderResult; url: TracePiece[]; body: TracePiece[] | null } {
  const trace = (text: CompiledText) => text.pieces.map((piece) => tracePiece(piece, input));
  return {
    result: renderTemplate(template, input),
    url: trace(template.url),
    body: template.body && trace(template.body),
  };
}

function tracePiece(piece: string | CompiledMacro, input: RenderInput): TracePiece {
  if (typeof piece === "string") return { text: piece, from: null };
  const { text, value, usedDefault } = fillMacro(piece, input);
  return { text, from: { macro: piece.token.written, name: piece.token.name, value, usedDefault } };
}
