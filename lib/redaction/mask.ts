import { eachMember } from "#lib/delivery/catalogue.ts";
import { type DecodedView, decodedViews } from "./decoded-views.ts";

/** What stands for something that may not be seen. */
export const fullMask = "••••";

/** The last characters help to tell two values apart; of a short one they would give too much away. */
const endShownFrom = 8;
/** Shorter values are masked only where they stand alone: "5" is part of too much. */
const anywhereFrom = 4;
/** With more values than this, everything that could hold one is masked. */
const maxValues = 200;
const maxRounds = 5;

/** Masks the sensitive values of one event in what is shown of it and of its deliveries. */
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
  const text = (given: string) => maskValues(given, values);
  return { text, url: text, data: (dataText) => maskMembers(dataText, { names, values }) };
}

const blindMasker: Masker = {
  text: (text) => (text === "" ? "" : fullMask),
  url: (url) => {
    const parsed = URL.parse(url);
    return parsed ? `${parsed.origin}/${fullMask}` : fullMask;
  },
  data: () => fullMask,
};

/** The text with every one of the values masked, as it is or encoded (lib/redaction/decoded-views.ts). */
export function maskValues(text: string, values: readonly string[]): string {
  let masked = text;
  // What is left may read otherwise without what stood before it: "%" and "5b" are one character, "5b" is two.
  for (let round = 0; round < maxRounds; round++) {
    const ranges = findValues(masked, values);
    if (ranges.length === 0) return masked;
    masked = replaceRanges(masked, ranges);
  }
  return fullMask;
}

function findValues(text: string, values: readonly string[]): Range[] {
  const found = decodedViews(text).flatMap((view) => values.flatMap((value) => occurrences(view, value)));
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

function occurrences({ text, places }: DecodedView, value: string): Range[] {
  const ranges: Range[] = [];
  const mask = maskOf(value);
  for (let at = text.indexOf(value); at !== -1; at = text.indexOf(value, at + 1)) {
    const last = at + value.length - 1;
    if (value.length < anywhereFrom && (isWord(text[at - 1]) || isWord(text[last + 1]))) continue;
    ranges.push({ start: places?.starts[at] ?? at, end: places?.ends[last] ?? last + 1, mask });
  }
  return ranges;
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
  { names, values }: { names: ReadonlySet<string>; values: readonly string[] },
): string {
  const parts: string[] = [];
  let copiedTo = 0;
  eachMember(dataText, ({ name, start, end }) => {
    const value = dataText.slice(start, end);
    if (!names.has(name) || value === "null" || value === '""') return;
    parts.push(maskScalars(dataText.slice(copiedTo, start), values));
    parts.push(`"${value.startsWith('"') ? maskOf(JSON.parse(value)) : fullMask}"`);
    copiedTo = end;
  });
  parts.push(maskScalars(dataText.slice(copiedTo), values));
  return parts.join("");
}

/** In a stretch of JSON, which stays JSON: the values within strings, and numbers and literals that are one. */
function maskScalars(json: string, values: readonly string[]): string {
  return json.replace(scalars, (token, string: string | undefined, colon: string | undefined) => {
    const text: string = string === undefined ? token : JSON.parse(string);
    const masked = maskValues(text, values);
    return masked === text ? token : JSON.stringify(masked) + (colon ?? "");
  });
}
