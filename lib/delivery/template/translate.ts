import { indexNames, type NameIndex, secretOf, translateName } from "./names.ts";
import type { TemplateFaultCode, TextKind } from "./types.ts";

/** A macro in another tracker's syntax, or a HTML entity. `name` is null for an entity. */
export type Foreign = {
  code: Extract<TemplateFaultCode, "foreign_syntax" | "html_entity" | "fragment">;
  at: number;
  from: string;
  to: string;
  name: string | null;
  isKnown: boolean;
};

type Pattern = {
  code: Foreign["code"];
  regex: RegExp;
  /** Whether this is a macro and not literal text that happens to look like one. */
  isMeant: (at: MatchPlace) => boolean;
};
type MatchPlace = { text: string; at: number; end: number; name: string; isKnown: boolean; kind: TextKind };

// Every repetition is bounded and every pattern starts with the mark it is tried at: the whole scan is linear.
const name = "([A-Za-z_][A-Za-z0-9_.-]{0,63})";
const patterns: Readonly<Record<string, Pattern>> = {
  "&": {
    code: "html_entity",
    regex: /&(?:(?:amp|#0{0,6}38|#x0{0,6}26);)+/iy,
    // Text for a page may hold entities on purpose.
    isMeant: ({ kind }) => kind !== "json",
  },
  "{": {
    code: "foreign_syntax",
    regex: new RegExp(`\\{{2,4}\\s{0,4}${name}\\s{0,4}\\}{2,4}`, "y"),
    isMeant: () => true,
  },
  $: {
    code: "foreign_syntax",
    regex: new RegExp(`\\\${1,4}\\{{1,4}${name}\\}{1,4}`, "y"),
    isMeant: () => true,
  },
  "#": {
    code: "fragment",
    regex: new RegExp(`#${name}#`, "y"),
    isMeant: ({ kind, isKnown }) => kind === "url" || isKnown,
  },
  "[": {
    code: "foreign_syntax",
    regex: new RegExp(`\\[${name}\\]`, "y"),
    // `filter[STATUS]=` is a key with an index; `=[STATUS]` is a macro.
    isMeant: ({ text, at, name, isKnown }) =>
      !/[\w\]]/.test(text[at - 1] ?? "") &&
      (isKnown || (name === name.toUpperCase() && /[=/]/.test(text[at - 1] ?? ""))),
  },
  "%": {
    code: "foreign_syntax",
    regex: /%([A-Za-z_][A-Za-z0-9_]{1,63})%/y,
    isMeant: isPercentMacro,
  },
};
const mark = /[&{$#[%]/g;
const ownMacro = /\{[A-Za-z0-9_.-]{1,64}(?:[:|][^{}]*)?\}/y;

/** `%20off%20` is percent-encoding, `%click_id%` is not, and `%campaign_id%` may be either. */
function isPercentMacro({ text, at, end, isKnown, kind }: MatchPlace): boolean {
  const opens = /^[0-9A-Fa-f]{2}/.test(text.slice(at + 1, at + 3));
  const closes = /^[0-9A-Fa-f]{2}/.test(text.slice(end, end + 2));
  if (isKnown) return !(opens && closes);
  return kind !== "json" && !opens && !closes;
}

/** Every macro in another syntax in the text, in order. Macros in ours are passed over. */
export function findForeign(text: string, kind: TextKind, index: NameIndex): Foreign[] {
  const found: Foreign[] = [];
  mark.lastIndex = 0;
  for (let match = mark.exec(text); match; match = mark.exec(text)) {
    const foreign = foreignAt(text, { at: match.index, kind, index });
    if (foreign) {
      found.push(foreign);
      mark.lastIndex = foreign.at + foreign.from.length;
    } else if (match[0] === "{") {
      ownMacro.lastIndex = match.index;
      if (ownMacro.test(text)) mark.lastIndex = ownMacro.lastIndex;
    }
  }
  return found;
}

function foreignAt(
  text: string,
  { at, kind, index }: { at: number; kind: TextKind; index: NameIndex },
): Foreign | null {
  const pattern = patterns[text[at] ?? ""];
  if (!pattern) return null;
  pattern.regex.lastIndex = at;
  const match = pattern.regex.exec(text);
  if (!match) return null;
  const [from, name] = match;
  const ours = name === undefined ? null : secretOf(name) !== null ? name : translateName(name, index);
  const place = { text, at, end: at + from.length, name: name ?? "", isKnown: ours !== null, kind };
  if (!pattern.isMeant(place)) return null;
  const code = pattern.code === "fragment" && kind !== "url" ? "foreign_syntax" : pattern.code;
  const to = name === undefined ? "&" : `{${ours ?? name}}`;
  return { code, at, from, to, name: name ?? null, isKnown: ours !== null };
}

/** One syntax may stand inside another, as in `{#sub1#}`; deeper nesting is nobody's macro. */
const maxRounds = 8;

/**
 * A pasted template with its `#macro#`, `[MACRO]`, `{{macro}}`, `${macro}`, `%macro%` and `&amp;` in our words, or
 * null where there is none. `unknown`: names that are neither fields nor known words of other trackers.
 */
export function translateTemplate(
  text: string,
  fieldNames: readonly string[],
): { text: string; replaced: { from: string; to: string }[]; unknown: string[] } | null {
  return translate(text, looksLikeJson(text) ? "json" : "url", indexNames(fieldNames));
}

export function translate(
  text: string,
  kind: TextKind,
  index: NameIndex,
): ReturnType<typeof translateTemplate> {
  const replaced = new Map<string, string>();
  const unknown = new Set<string>();
  let current = text;
  for (let round = 0; round < maxRounds; round += 1) {
    const found = findForeign(current, kind, index);
    if (found.length === 0) break;
    for (const { from, to, name, isKnown } of found) {
      replaced.set(from, to);
      if (name !== null && !isKnown) unknown.add(name);
    }
    current = replaceAll(current, found);
  }
  if (current === text) return null;
  return {
    text: current,
    replaced: [...replaced].map(([from, to]) => ({ from, to })),
    unknown: [...unknown],
  };
}

function replaceAll(text: string, found: readonly Foreign[]): string {
  let end = 0;
  const pieces: string[] = [];
  for (const { at, from, to } of found) {
    pieces.push(text.slice(end, at), to);
    end = at + from.length;
  }
  return pieces.join("") + text.slice(end);
}

function looksLikeJson(text: string): boolean {
  return /^\s*(?:\{\s*["}]|\[)/.test(text);
}
