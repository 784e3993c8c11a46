import { eachMember } from "#lib/delivery/catalogue.ts";
import { type Budget, maskingBudget, spend } from "./budget.ts";
import { type DecodedView, decodedViews } from "./decoded-views.ts";
import { hexDigit, hexRuns } from "./hex.ts";
import { type Sought, soughtOf } from "./sought.ts";

/** What stands for something that may not be seen. */
export const fullMask = "••••";

/** The last characters help to tell two values apart; of a short one they would give too much away. */
const endShownFrom = 8;
/** Shorter values are masked only where they stand alone: "5" is part of too much. */
const anywhereFrom = 4;
/** With more values than this, everything that could hold one is masked. */
const maxValues = 200;
const maxRounds = 5;

/** A longer search is by its beginning: one for a long text of few letters could take its length times the text's. */
const maxSearched = 200;
/** In characters read: a view besides its length, looking for hex, a character of it, and places that may be a value or a hash. */
const viewCost = 16;
const hexCost = 4;
const runCost = 32;
const rangeCost = 64;
const hashCost = 512;

/** An event's values, and what looking for them may still cost. */
type Search = { sought: Sought; budget: Budget };

/**
 * Masks the sensitive values of one event in what is shown of it and of its deliveries, also as the functions of
 * templates make them. Past what that may cost all together, whole texts are masked: a receiver could answer so that
 * looking through it takes seconds.
 */
export type Masker = {
  /** Wherever a value stands in the text, as it is or encoded. */
  text: (text: string) => string;
  url: (url: string) => string;
  /** In the event's own data: whole values of sensitive fields, whatever they are; the rest keeps its bytes. */
  data: (dataText: string) => string;
};

/**
 * The masker of an event, by the marks in its type's fields; null when nothing of it is sensitive. Where the type is not
 * in the catalogue any more, or the data are gone (null), so that nobody can say what the values are, it masks
 * everything that could hold one.
 */
export function createMasker(event: {
  fields: readonly { name: string; sensitive: boolean }[] | null;
  dataText: string | null;
}): Masker | null {
  const names = new Set(event.fields?.filter(({ sensitive }) => sensitive).map(({ name }) => name));
  if (event.fields !== null && names.size === 0) return null;
  if (event.fields === null || event.dataText === null) return blindMasker;
  const values = sensitiveValues(event.dataText, names);
  if (values.length > maxValues) return blindMasker;
  const search = { sought: soughtOf(values), budget: { left: maskingBudget } };
  const text = (given: string) => maskSought(given, search);
  return { text, url: text, data: (dataText) => maskMembers(dataText, { names, search }) };
}

const blindMasker: Masker = {
  text: (text) => (text === "" ? "" : fullMask),
  url: (url) => {
    const parsed = URL.parse(url);
    return parsed ? `${parsed.origin}/${fullMask}` : fullMask;
  },
  data: () => fullMask,
};

/** The text with all that is sought masked, as it is or encoded (decoded-views.ts); the full mask past the budget. */
export function maskSought(text: string, search: Search): string {
  if (text === "") return "";
  let masked = text;
  // What is left may read otherwise without what stood before it: "%" and "5b" are one character, "5b" is two.
  for (let round = 0; round < maxRounds; round++) {
    const ranges = findSought(masked, search);
    if (ranges === null) return fullMask;
    if (ranges.length === 0) return masked;
    masked = replaceRanges(masked, ranges);
  }
  return fullMask;
}

/** Null past the budget. */
function findSought(text: string, { sought, budget }: Search): Range[] | null {
  const found: Range[] = [];
  for (const view of decodedViews(text, budget)) {
    if (!spend(budget, (view.text.length + viewCost) * (sought.texts.length + hexCost))) return null;
    for (const value of sought.texts) findText(view, { value, budget, found });
    findHashes(view, { sought, budget, found });
    if (budget.left < 0) return null;
  }
  if (budget.left < 0) return null;
  return merge(found.sort((a, b) => a.start - b.start || b.end - a.end));
}

function replaceRanges(text: string, ranges: readonly Range[]): string {
  const parts: string[] = [];
  let copiedTo = 0;
  for (const { start, end, mask } of ranges) {
    parts.push(text.slice(copiedTo, start), mask);
    copiedTo = end;
  }
  parts.push(text.slice(copiedTo));
  return parts.join("");
}

type Range = { start: number; end: number; mask: string };

function findText(
  view: DecodedView,
  { value, budget, found }: { value: string; budget: Budget; found: Range[] },
): void {
  const { text } = view;
  const mask = maskOf(value);
  const beginning = value.slice(0, maxSearched);
  for (let at = text.indexOf(beginning); at !== -1; at = text.indexOf(beginning, at + 1)) {
    if (!spend(budget, value.length + rangeCost)) return;
    if (!text.startsWith(value, at)) continue;
    const end = at + value.length;
    if (value.length < anywhereFrom && (isWord(text[at - 1]) || isWord(text[end]))) continue;
    found.push(rangeOf(view, { at, end, mask }));
  }
}

/** Any stretch of hex that is one of the hashes. Nothing of it is shown: short values can be told by two digits. */
function findHashes(view: DecodedView, { sought, budget, found }: Search & { found: Range[] }): void {
  for (const { start, end } of hexRuns(view.text)) {
    if (!spend(budget, (end - start) * runCost)) return;
    const hashes = sought.hashes(budget);
    const run = view.text.slice(start, end).toLowerCase();
    let beginning = 0;
    for (let last = 0; last < run.length; last++) {
      beginning = ((beginning << 4) | hexDigit(run.charCodeAt(last))) & 0xffff;
      if (!hashes.beginnings[beginning]) continue;
      if (!spend(budget, hashCost)) return;
      const at = last - 3;
      for (const hash of [run.slice(at, at + 32), run.slice(at, at + 64)]) {
        if (!hashes.all.has(hash)) continue;
        found.push(rangeOf(view, { at: start + at, end: start + at + hash.length, mask: fullMask }));
      }
    }
  }
}

function rangeOf(
  { places }: DecodedView,
  { at, end, mask }: { at: number; end: number; mask: string },
): Range {
  return { start: places?.starts[at] ?? at, end: places?.ends[end - 1] ?? end, mask };
}

const isWord = (sign: string | undefined) => sign !== undefined && /[\p{L}\p{N}]/u.test(sign);

/** Ranges that overlap become one; unless all are the same, nothing of them is shown. */
function merge(sorted: readonly Range[]): Range[] {
  const merged: Range[] = [];
  for (const range of sorted) {
    const before = merged.at(-1);
    if (!before || range.start >= before.end) {
      merged.push({ ...range });
    } else if (range.start !== before.start || range.end !== before.end || range.mask !== before.mask) {
      before.end = Math.max(before.end, range.end);
      before.mask = fullMask;
    }
  }
  return merged;
}

function maskOf(value: string): string {
  const end = value.slice(-2);
  return value.length >= endShownFrom && /^[A-Za-z0-9]{2}$/.test(end) ? fullMask + end : fullMask;
}

/** What of a JSON text is a string, with the colon after it where it is a name, or a number, `true` or `false`. */
const scalars = /("[^"\\]*(?:\\.[^"\\]*)*")(\s*:)?|-?\d[\d.eE+-]*|true|false/g;

/** Every scalar within the members of these names, each as text; those given twice all count. */
function sensitiveValues(dataText: string, names: ReadonlySet<string>): string[] {
  const values = new Set<string>();
  eachMember(dataText, ({ name, start, end }) => {
    if (!names.has(name)) return;
    for (const [text, string, colon] of dataText.slice(start, end).matchAll(scalars)) {
      if (colon === undefined) values.add(string === undefined ? text : JSON.parse(string));
    }
  });
  values.delete("");
  return [...values];
}

function maskMembers(
  dataText: string,
  { names, search }: { names: ReadonlySet<string>; search: Search },
): string {
  const parts: string[] = [];
  let copiedTo = 0;
  eachMember(dataText, ({ name, start, end }) => {
    const value = dataText.slice(start, end);
    if (!names.has(name) || value === "null" || value === '""') return;
    parts.push(maskScalars(dataText.slice(copiedTo, start), search));
    parts.push(`"${value.startsWith('"') ? maskOf(JSON.parse(value)) : fullMask}"`);
    copiedTo = end;
  });
  parts.push(maskScalars(dataText.slice(copiedTo), search));
  if (search.budget.left < 0) return fullMask;
  return parts.join("");
}

/** In a stretch of JSON, which stays JSON: the values within strings, and numbers and literals that are one. */
function maskScalars(json: string, search: Search): string {
  return json.replace(scalars, (token, string: string | undefined, colon: string | undefined) => {
    const text: string = string === undefined ? token : JSON.parse(string);
    const masked = maskSought(text, search);
    return masked === text ? token : JSON.stringify(masked) + (colon ?? "");
  });
}
