import type { FunctionCall } from "./functions.ts";
import type { TextKind } from "./types.ts";

export type LiteralToken = { kind: "literal"; text: string; at: number };

/** `{name:function:function|default}` as it stands in a template. */
export type MacroToken = {
  kind: "macro";
  written: string;
  at: number;
  name: string;
  calls: readonly FunctionCall[];
  fallback: string | null;
  /** `scalar`: in JSON outside a string, where it stands for a whole value. */
  place: "text" | "scalar";
};
export type Token = LiteralToken | MacroToken;

/** `name` is set where JSON text opens a brace before a name and does not close it: a fault if the name is known. */
export type SyntaxFault = {
  at: number;
  length: number;
  message: string;
  suggestion: string | null;
  name: string | null;
};

/** Tokens that make up the whole text, in order; what is faulty stays literal. */
export type Parsed = { tokens: Token[]; faults: SyntaxFault[] };

/** Cuts a template into literal text and macros, in one pass over the text, without backtracking. Total. */
export function parseTemplate(text: string, kind: TextKind): Parsed {
  const { macros, faults } = kind === "json" ? parseJson(text) : parseText(text);
  return { tokens: withLiterals(text, macros), faults };
}

type Parts = { macros: MacroToken[]; faults: SyntaxFault[] };

function withLiterals(text: string, macros: readonly MacroToken[]): Token[] {
  const tokens: Token[] = [];
  let at = 0;
  for (const macro of macros) {
    if (macro.at > at) tokens.push({ kind: "literal", text: text.slice(at, macro.at), at });
    tokens.push(macro);
    at = macro.at + macro.written.length;
  }
  if (at < text.length) tokens.push({ kind: "literal", text: text.slice(at), at });
  return tokens;
}

/** In a URL or a form every brace belongs to a macro. */
function parseText(text: string): Parts {
  const parts: Parts = { macros: [], faults: [] };
  const brace = /[{}]/g;
  for (let match = brace.exec(text); match; match = brace.exec(text)) {
    if (match[0] === "{") {
      const at = match.index;
      brace.lastIndex = readMacro(text, { at, place: "text", stop: /[{}]/g, brace: "%7B" }, parts);
      continue;
    }
    parts.faults.push({
      at: match.index,
      length: 1,
      message: "There is a closing brace without an opening one. Write %7D if the sign itself is meant.",
      suggestion: "%7D",
      name: null,
    });
  }
  return parts;
}

/** In JSON a brace opens a macro where a name follows it and then `}`, `:` or `|`; any other is JSON's own. */
function parseJson(text: string): Parts {
  const parts: Parts = { macros: [], faults: [] };
  const mark = /["\\{]/g;
  const name = /[A-Za-z0-9_.-]+/y;
  let inString = false;
  let openBrace = { at: -1, nameEnd: -1 };
  for (let match = mark.exec(text); match; match = mark.exec(text)) {
    const at = match.index;
    if (match[0] === '"') inString = !inString;
    else if (match[0] === "\\") mark.lastIndex = at + 2;
    if (match[0] !== "{") continue;
    name.lastIndex = at + 1;
    const found = name.exec(text)?.[0] ?? "";
    const nameEnd = at + 1 + found.length;
    if (found !== "" && ":|}".includes(text[nameEnd] ?? " ")) {
      // A literal brace before a macro could make a secret's macro of a value.
      if (openBrace.nameEnd === at) parts.faults.push(unclosed(text, openBrace.at, null));
      const place = inString ? "text" : "scalar";
      mark.lastIndex = readMacro(text, { at, place, stop: /[{}"\\]/g, brace: "\\u007b" }, parts);
    } else if (inString) {
      if (found !== "") parts.faults.push(unclosed(text, at, found));
      openBrace = { at, nameEnd };
    }
  }
  return parts;
}

function unclosed(text: string, at: number, name: string | null): SyntaxFault {
  const length = 1 + (name?.length ?? 0);
  return {
    at,
    length,
    name,
    message: `"${excerpt(text.slice(at, at + length))}" opens a brace that nothing closes. Write \\u007b if the sign itself is meant.`,
    suggestion: name === null ? "\\u007b" : `{${name}}`,
  };
}

/** `stop`: what ends a macro, or proves that nothing closes it. `brace`: how a literal one is written here. */
type MacroPlace = { at: number; place: MacroToken["place"]; stop: RegExp; brace: string };

/** Reads the macro that the brace at `at` opens, and says where to go on: no text is looked at twice. */
function readMacro(text: string, { at, place, stop, brace }: MacroPlace, parts: Parts): number {
  stop.lastIndex = at + 1;
  const end = stop.exec(text)?.index ?? text.length;
  if (text[end] !== "}") {
    const message = `"${excerpt(text.slice(at, end))}" opens a brace that nothing closes. Write ${brace} if the sign itself is meant.`;
    parts.faults.push({ at, length: 1, message, suggestion: brace, name: null });
    return end;
  }
  const written = text.slice(at, end + 1);
  const inner = readInner(written.slice(1, -1));
  if (typeof inner === "string") {
    parts.faults.push({ at, length: written.length, message: inner, suggestion: null, name: null });
  } else {
    parts.macros.push({ kind: "macro", written, at, place, ...inner });
  }
  return end + 1;
}

/** The parts of what stands between the braces, or what is wrong with it. */
function readInner(inner: string): Pick<MacroToken, "name" | "calls" | "fallback"> | string {
  if (inner.trim() === "") return "These braces are empty. Name a field between them, such as {click_id}.";
  if (/\p{Cc}/u.test(inner) || !inner.isWellFormed()) {
    return "A macro must be on one line and hold no control characters.";
  }
  const nameEnd = inner.search(/[:|]/);
  if (nameEnd === -1) return { name: inner, calls: [], fallback: null };
  if (nameEnd === 0) return "This macro has no name. Name a field first, such as {click_id|none}.";
  const calls: FunctionCall[] = [];
  const functionName = /[^:|()]*/y;
  let at = nameEnd;
  while (inner[at] === ":") {
    functionName.lastIndex = at + 1;
    const name = functionName.exec(inner)?.[0] ?? "";
    if (name === "") return "There is a colon without a function after it, such as {click_id:lower}.";
    at += 1 + name.length;
    let argument: string | null = null;
    if (inner[at] === "(") {
      const close = inner.indexOf(")", at);
      if (close === -1) return `The parenthesis after ${excerpt(name)} is not closed.`;
      argument = inner.slice(at + 1, close);
      at = close + 1;
    }
    calls.push({ name, argument });
  }
  const fallback = inner[at] === "|" ? inner.slice(at + 1) : null;
  if (fallback === null && at < inner.length) {
    return `"${excerpt(inner.slice(at))}" is not expected here. After a function comes another, as in {click_id:lower:sha256}, or a default, as in {click_id:lower|none}.`;
  }
  return { name: inner.slice(0, nameEnd), calls, fallback };
}

/** The beginning of a text of a template, for a message. */
export function excerpt(text: string): string {
  return text.length > 40 ? `${text.slice(0, 40)}...` : text;
}
