import { excerpt, type MacroToken, type Token } from "./parse.ts";
import type { TemplateFault } from "./types.ts";

type UrlFault = Omit<TemplateFault, "part">;

/** Where the host of a URL template ends and its path or query starts; the length of the text if nowhere. */
function authorityEnd(tokens: readonly Token[], from: number): number {
  let end = from;
  for (const token of tokens) {
    if (token.kind === "macro") {
      end = token.at + token.written.length;
      continue;
    }
    const searched = token.text.slice(Math.max(0, from - token.at));
    const stop = searched.search(/[/?\\]/);
    end = token.at + token.text.length;
    if (end > from && stop !== -1) return end - searched.length + stop;
  }
  return Math.max(from, end);
}

/**
 * What is wrong with the literal text of a URL template, and the template as it is kept: scheme and host in
 * lower case and ASCII, without the scheme's own port, with at least `/` for a path.
 */
export function checkUrlText(
  url: string,
  tokens: readonly Token[],
): { faults: UrlFault[]; normalised: string | null } {
  const scheme = /^https?:\/\//i.exec(url)?.[0];
  const from = scheme?.length ?? Math.max(0, url.indexOf("://") + 1);
  const end = authorityEnd(tokens, from === 0 ? 0 : scheme ? from : from + 2);
  const early = tokens.find((token) => token.kind === "macro");
  if (early && (early.at < end || early.at === 0)) return refused(macroInAuthority(early));
  if (!scheme) return refused(schemeFault(url));
  const authority = url.slice(from, end);
  if (authority.includes("@")) return refused(userinfoFault(authority, from));
  const stripped = /[^!-\uffff]+/.exec(authority);
  if (stripped) return refused(strippedFault(from + stripped.index, stripped[0].length));
  const origin = originOf(`${scheme}${authority}`);
  if (origin === null) {
    const message =
      authority === "" ? "The URL has no host." : `"${excerpt(authority)}" is not a valid host.`;
    return refused({
      code: "template_syntax",
      at: from,
      length: authority.length,
      message,
      suggestion: null,
    });
  }
  const faults = [...rewrittenRuns(url, tokens, end), ...dotSegments(url, tokens, end)];
  const rest = url.slice(end);
  const normalised = `${origin}${rest.startsWith("/") ? "" : "/"}${rest}`;
  if (faults.length === 0 && !staysAsWritten(origin, rest, tokens, end)) {
    return refused({
      code: "literal_rewritten",
      at: end,
      length: rest.length,
      message:
        "The URL parser would change this text. Percent-encode what is not a letter, a digit or one of -._~.",
      suggestion: null,
    });
  }
  return { faults, normalised };
}

function refused(fault: UrlFault): { faults: UrlFault[]; normalised: null } {
  return { faults: [fault], normalised: null };
}

function macroInAuthority(macro: MacroToken): UrlFault {
  return {
    code: "macro_in_authority",
    at: macro.at,
    length: macro.written.length,
    message: `${excerpt(macro.written)} stands before the path. Scheme, host and port must be written out; macros may follow in the path and in the query.`,
    suggestion: null,
  };
}

function schemeFault(url: string): UrlFault {
  const leading = /^[^!-\uffff]+/.exec(url)?.[0].length ?? 0;
  if (leading > 0) return strippedFault(0, leading);
  const odd = /^(https?):[\\/]*/i.exec(url);
  if (odd) {
    return {
      code: "literal_rewritten",
      at: 0,
      length: odd[0].length,
      message: `The URL parser would change "${excerpt(odd[0])}". Write it out.`,
      suggestion: `${odd[1]?.toLowerCase()}://`,
    };
  }
  const other = /^[A-Za-z][A-Za-z0-9+.-]*:\/\//.exec(url)?.[0] ?? "";
  return {
    code: "template_syntax",
    at: 0,
    length: other.length,
    message: "The URL must start with https:// or http://.",
    suggestion: "https://",
  };
}

function userinfoFault(authority: string, from: number): UrlFault {
  return {
    code: "userinfo",
    at: from,
    length: authority.lastIndexOf("@") + 1,
    message:
      "A user name or password before the host is not sent. Take it out, and keep it as a secret header of the endpoint, such as Authorization.",
    suggestion: "",
  };
}

function strippedFault(at: number, length: number): UrlFault {
  const message = "White space here would be dropped by the URL parser. Take it out.";
  return { code: "literal_rewritten", at, length, message, suggestion: "" };
}

function originOf(text: string): string | null {
  try {
    return new URL(text).origin;
  } catch {
    return null;
  }
}

// What the URL parser of any runtime changes (WHATWG, path and special-query percent-encode sets, and backslash).
const changedInPath = /[^!#-;=?-[\]_a-z|~]+/g;
const changedInQuery = /[^!#-&(-;=?-~]+/g;

function rewrittenRuns(url: string, tokens: readonly Token[], from: number): UrlFault[] {
  const faults: UrlFault[] = [];
  let inQuery = false;
  for (const { text, at } of literalsFrom(tokens, from)) {
    const mark: number = inQuery ? 0 : text.indexOf("?");
    const pathEnd = mark === -1 ? text.length : mark;
    inQuery = mark !== -1;
    for (const [pattern, part, offset] of [
      [changedInPath, text.slice(0, pathEnd), at],
      [changedInQuery, text.slice(pathEnd), at + pathEnd],
    ] as const) {
      for (const { 0: run, index } of part.matchAll(pattern)) {
        faults.push(rewrittenFault(url, offset + index, run));
      }
    }
  }
  return faults;
}

function rewrittenFault(url: string, at: number, run: string): UrlFault {
  if (at + run.length === url.length && /^[^!-\uffff]+$/.test(run)) return strippedFault(at, run.length);
  const encoded = encodeURIComponent(run.toWellFormed()).replaceAll("'", "%27");
  return {
    code: "literal_rewritten",
    at,
    length: run.length,
    message: `The URL parser would change ${JSON.stringify(excerpt(run))} here. Write ${excerpt(encoded)} in its place.`,
    suggestion: encoded,
  };
}

function literalsFrom(tokens: readonly Token[], from: number): { text: string; at: number }[] {
  return tokens.flatMap((token) => {
    if (token.kind === "macro" || token.at + token.text.length <= from) return [];
    const skipped = Math.max(0, from - token.at);
    return [{ text: token.text.slice(skipped), at: token.at + skipped }];
  });
}

/** A part of the path between two slashes: literal text, and the macros in it. */
export type PathSegment = (string | MacroToken)[];

/** The segments of a URL template's path, in order. The URL is as it is kept, or `from` is where its path starts. */
export function pathSegments(tokens: readonly Token[], from: number): PathSegment[] {
  const segments: PathSegment[] = [];
  for (const token of tokens) {
    if (token.at + (token.kind === "macro" ? 0 : token.text.length) < from) continue;
    if (token.kind === "macro") {
      segments.at(-1)?.push(token);
      continue;
    }
    const text = token.text.slice(Math.max(0, from - token.at));
    const query = text.indexOf("?");
    const [first = "", ...others] = (query === -1 ? text : text.slice(0, query)).split("/");
    if (first !== "") segments.at(-1)?.push(first);
    for (const other of others) segments.push(other === "" ? [] : [other]);
    if (query !== -1) break;
  }
  return segments;
}

/** Where the path of a URL starts that has been checked. */
export function pathStart(url: string): number {
  const start = url.indexOf("/", url.indexOf("://") + 3);
  return start === -1 ? url.length : start;
}

/** Whether the URL parser would take the segment out of the path: `.` or `..`, also percent-encoded. */
export function isDotSegment(segment: string): boolean {
  if (segment.length > 6) return false;
  const plain = segment.replace(/%2e/gi, ".");
  return plain === "." || plain === "..";
}

function dotSegments(url: string, tokens: readonly Token[], from: number): UrlFault[] {
  const segments = pathSegments(tokens, from).map((parts) =>
    parts.map((part) => (typeof part === "string" ? part : part.written)).join(""),
  );
  const dots = segments.find(isDotSegment);
  if (dots === undefined) return [];
  const kept: string[] = [];
  for (const [i, segment] of segments.entries()) {
    const isDot = isDotSegment(segment);
    if (isDot && segment.replace(/%2e/gi, ".") === "..") kept.pop();
    if (!isDot) kept.push(segment);
    else if (i === segments.length - 1) kept.push("");
  }
  const length = segments.join("/").length + 1;
  return [
    {
      code: "literal_rewritten",
      at: from,
      length: Math.min(length, url.length - from),
      message: `The URL parser would take "${dots}" out of the path. Write the path without it.`,
      suggestion: `/${kept.join("/")}`,
    },
  ];
}

/** The last word is the runtime's own parser: with values in place it must leave the URL alone. */
function staysAsWritten(origin: string, rest: string, tokens: readonly Token[], from: number): boolean {
  let sample = rest.startsWith("/") ? origin : `${origin}/`;
  for (const token of tokens) {
    if (token.kind === "macro") sample += "x";
    else sample += token.text.slice(Math.max(0, from - token.at));
  }
  try {
    return new URL(sample).href === sample;
  } catch {
    return false;
  }
}
