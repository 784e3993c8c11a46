import { looksEncoded } from "./encode.ts";
import { literalSecrets } from "./literal-secrets.ts";
import { checkMacro, type MacroContext } from "./macro-faults.ts";
import { indexNames, type NameIndex } from "./names.ts";
import { excerpt, type MacroToken, type Parsed, parseTemplate, type Token } from "./parse.ts";
import { findForeign, translate } from "./translate.ts";
import {
  bodyKind,
  maxBodyTemplateLength,
  maxUrlTemplateLength,
  type TemplateEventType,
  type TemplateFault,
  type TemplatePart,
  type TemplateSource,
  type TemplateWarning,
  type TextKind,
} from "./types.ts";
import { checkUrlText } from "./url-text.ts";

/**
 * Checks a whole template as it is saved (product.md, "Postback templates"). What it accepts always renders, and
 * comes back as it is to be kept: scheme, host, port and empty path normalised, all else as written. Faults and
 * warnings give places in the text as it was given, and are at most 50 each for the URL and the body.
 * `secretNames` null: not known, any name passes. Never throws.
 */
export function checkTemplate(
  source: TemplateSource,
  context: { eventTypes: readonly TemplateEventType[]; secretNames: readonly string[] | null },
):
  | { ok: true; source: TemplateSource; warnings: TemplateWarning[] }
  | { ok: false; faults: TemplateFault[] } {
  const macroContext = contextOf(context);
  const url = checkPart("url", source.url, "url", macroContext);
  const shape = shapeFault(source);
  const body =
    shape === null && source.body !== null
      ? checkPart("body", source.body, bodyKind(source.contentType), macroContext)
      : null;
  const faults = [...url.faults, ...(shape ? [shape] : []), ...(body?.faults ?? [])];
  if (needsStatusMacro(context.eventTypes.map(({ name }) => name))) {
    const macros = [...url.macros, ...(body?.macros ?? [])];
    // A default would speak for what nobody knows the status of.
    if (!macros.some(({ name, fallback }) => name === "status" && fallback === null))
      faults.push(statusFault(source));
  }
  if (faults.length > 0 || url.normalised === null) return { ok: false, faults };
  return {
    ok: true,
    source: {
      method: source.method,
      url: url.normalised,
      body: source.body,
      contentType: source.body === null ? null : source.contentType,
    },
    warnings: [...url.warnings, ...(body?.warnings ?? [])],
  };
}

const unapproved = ["conversion.pending", "conversion.declined", "conversion.reversed"];

/** Whether an endpoint with these subscriptions would report conversions that are not, or no longer, approved. */
export function needsStatusMacro(eventTypeNames: readonly string[]): boolean {
  return eventTypeNames.some((name) => unapproved.includes(name));
}

function statusFault(source: TemplateSource): TemplateFault {
  const isForm = source.body !== null && source.contentType === "application/x-www-form-urlencoded";
  const text = isForm ? (source.body ?? "") : source.url;
  const joint = isForm ? (text === "" ? "" : "&") : text.includes("?") ? "&" : "?";
  return {
    code: "status_macro_required",
    part: isForm ? "body" : "url",
    at: text.length,
    length: 0,
    message:
      "This endpoint gets conversions that are pending, declined or reversed, so the template must say which: use {status} without a default, or subscribe to approved conversions only.",
    suggestion: `${joint}status={status}`,
  };
}

function shapeFault({ method, body, contentType }: TemplateSource): TemplateFault | null {
  if (body === null) return null;
  const fault = { code: "template_syntax", part: "body", at: 0, length: body.length } as const;
  if (method === "GET") {
    return { ...fault, message: "A GET request has no body. Take it out, or use POST.", suggestion: "" };
  }
  if (contentType !== null) return null;
  return { ...fault, message: "Say whether this body is JSON or a form.", suggestion: null };
}

function contextOf(context: Parameters<typeof checkTemplate>[1]): MacroContext {
  const fieldTypes: MacroContext["fields"] = new Map();
  for (const type of context.eventTypes) {
    for (const { name, kind } of type.fields) {
      const field = fieldTypes.get(name) ?? { kinds: new Set(), typeNames: new Set() };
      field.kinds.add(kind);
      field.typeNames.add(type.name);
      fieldTypes.set(name, field);
    }
  }
  return {
    fields: fieldTypes,
    typeNames: new Set(context.eventTypes.map(({ name }) => name)),
    index: indexNames(fieldTypes.keys()),
    secretNames: context.secretNames,
  };
}

/** Faults past so many help nobody. */
const maxFaults = 50;

type PartFault = Omit<TemplateFault, "part">;
type PartWarning = Omit<TemplateWarning, "part">;
type PartCheck = {
  faults: TemplateFault[];
  warnings: TemplateWarning[];
  macros: MacroToken[];
  /** The URL as it is kept. */
  normalised: string | null;
};

function checkPart(part: TemplatePart, text: string, kind: TextKind, context: MacroContext): PartCheck {
  const limit = kind === "url" ? maxUrlTemplateLength : maxBodyTemplateLength;
  if (text.length > limit) return refusedPart(part, [tooLong(part, text.length, limit)]);
  const foreign = foreignFaults(text, kind, context.index);
  if (foreign.length > 0) return refusedPart(part, foreign);
  const parsed = parseTemplate(text, kind);
  const macros = parsed.tokens.filter((token) => token.kind === "macro");
  const faults = [...syntaxFaults(parsed, context.index), ...macroFaults(macros, context)];
  let normalised: string | null = null;
  const fragment = kind === "url" ? fragmentFault(parsed.tokens) : null;
  if (fragment) faults.push(fragment);
  else if (kind === "url") {
    const checked = checkUrlText(text, parsed.tokens);
    faults.push(...checked.faults.filter((fault) => !parsed.faults.some((other) => overlap(fault, other))));
    normalised = checked.normalised;
  } else {
    faults.push(...bodyFaults(text, kind, parsed, faults.length > 0));
  }
  const warnings = [...literalSecrets(text, kind, parsed.tokens), ...encodedDefaults(macros, kind)];
  return {
    faults: faults.slice(0, maxFaults).map((fault) => ({ ...fault, part })),
    warnings: warnings.slice(0, maxFaults).map((warning) => ({ ...warning, part })),
    macros,
    normalised,
  };
}

/** A brace that nothing closes is literal text too, but needs to be named only once. */
function overlap(a: { at: number; length: number }, b: { at: number; length: number }): boolean {
  return a.at < b.at + b.length && b.at < a.at + a.length;
}

function refusedPart(part: TemplatePart, faults: PartFault[]): PartCheck {
  return {
    faults: faults.map((fault) => ({ ...fault, part })),
    warnings: [],
    macros: [],
    normalised: null,
  };
}

function tooLong(part: TemplatePart, length: number, limit: number): PartFault {
  const what = part === "url" ? "URL" : "body";
  const message = `The template of the ${what} has ${length.toLocaleString("en-US")} characters; ${limit.toLocaleString("en-US")} are allowed.`;
  return { code: "template_syntax", at: limit, length: length - limit, message, suggestion: null };
}

/** One fault for each kind of foreign text, over the whole template, with all of it translated. */
function foreignFaults(text: string, kind: TextKind, index: NameIndex): PartFault[] {
  const found = findForeign(text, kind, index);
  if (found.length === 0) return [];
  const translated = translate(text, kind, index)?.text ?? null;
  const firsts = new Map([...found].reverse().map((foreign) => [foreign.code, foreign]));
  return [...firsts].map(([code, { from, to }]): PartFault => {
    const message =
      code === "html_entity"
        ? `"${from}" is HTML for &. Copied from a page, it would be sent as it stands; write & alone.`
        : `"${from}" is another tracker's way to write a macro, and would be sent as it stands. Here it is ${to}.`;
    return { code, at: 0, length: text.length, message, suggestion: translated };
  });
}

function fragmentFault(tokens: readonly Token[]): PartFault | null {
  for (const token of tokens) {
    const at = token.kind === "literal" ? token.text.indexOf("#") : -1;
    if (at === -1) continue;
    const message = "A # starts a fragment, which is never sent. Write %23 if the sign itself is meant.";
    return { code: "fragment", at: token.at + at, length: 1, message, suggestion: "%23" };
  }
  return null;
}

function syntaxFaults(parsed: Parsed, index: NameIndex): PartFault[] {
  return parsed.faults.flatMap(({ name, ...fault }) =>
    name === null || index.names.has(name) ? [{ code: "template_syntax", ...fault }] : [],
  );
}

function macroFaults(macros: readonly MacroToken[], context: MacroContext): PartFault[] {
  const faults: PartFault[] = [];
  for (const macro of macros) {
    const fault = checkMacro(macro, context);
    if (fault !== null) faults.push({ ...fault, at: macro.at, length: macro.written.length });
    if (faults.length === maxFaults) break;
  }
  return faults;
}

function bodyFaults(text: string, kind: TextKind, parsed: Parsed, isFaulty: boolean): PartFault[] {
  const fault = { code: "template_syntax", at: 0, length: text.length, suggestion: null } as const;
  if (text.includes("\u0000") || !text.isWellFormed()) {
    return [{ ...fault, message: "The body holds a NUL or half a character, which cannot be kept." }];
  }
  if (kind !== "json" || isFaulty) return [];
  const sample = parsed.tokens
    .map((token) => (token.kind === "literal" ? token.text : token.place === "scalar" ? "null" : "x"))
    .join("");
  if (isJson(sample)) return [];
  return [
    {
      ...fault,
      message:
        "With values in place of its macros this body is not valid JSON. Macros stand inside quotation marks; those of numbers and booleans may also stand alone, for a whole value.",
    },
  ];
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

function encodedDefaults(macros: readonly MacroToken[], kind: TextKind): PartWarning[] {
  if (kind === "json") return [];
  return macros
    .filter(({ fallback }) => fallback !== null && looksEncoded(fallback))
    .map((macro) => ({
      code: "already_encoded",
      at: macro.at,
      length: macro.written.length,
      message: `The default in ${excerpt(macro.written)} seems to be encoded already, and will be encoded once more. Write it as plain text.`,
      suggestion: null,
    }));
}
