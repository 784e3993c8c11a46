import type { FieldKind } from "#lib/vocabulary.ts";

/** One field of an event type, as far as the events' data are concerned. */
export type CatalogueField = {
  name: string;
  kind: FieldKind;
  required: boolean;
  /** Its values are masked in the console. */
  sensitive: boolean;
  /** Events can be found by its exact value. */
  searchable: boolean;
  example: string;
};

/** A field at fault and what was expected of it; never what was there. */
export type DataFault = { field: string; message: string };

/** What templates write for facts of the delivery itself, so that no field may be called so. */
export const ownMacros: readonly string[] = [
  "event_id",
  "event_type",
  "delivery_id",
  "affiliate_id",
  "timestamp",
  "timestamp_ms",
  "timestamp_iso",
  "secret",
];

const decimal = /^-?\d+(?:\.\d+)?$/;
const integer = /^-?\d+$/;
const jsonInteger = /^-?(?:0|[1-9]\d*)$/;
const time =
  /^(\d{4})-(0[1-9]|1[0-2])-(0[1-9]|[12]\d|3[01])T(?:[01]\d|2[0-3]):[0-5]\d(?::[0-5]\d(?:\.\d+)?)?(?:Z|[+-](?:[01]\d|2[0-3]):[0-5]\d)$/;
const booleans = ["true", "false"];

/** What each kind may be in the data: as a JSON text, or as a number's or literal's own text. */
const kinds = {
  string: { isText: () => true, isLiteral: () => false, expected: "must be text" },
  integer: {
    isText: (text) => integer.test(text),
    isLiteral: (literal) => jsonInteger.test(literal),
    expected: "must be a whole number, as a number or as text, without fraction or exponent",
  },
  decimal: {
    isText: (text) => decimal.test(text),
    isLiteral: (literal) => !booleans.includes(literal),
    expected: 'must be a decimal number, as a number or as text such as "12.50"',
  },
  boolean: {
    isText: () => false,
    isLiteral: (literal) => booleans.includes(literal),
    expected: "must be true or false",
  },
  timestamp: {
    isText: isTime,
    isLiteral: () => false,
    expected: "must be an ISO 8601 time with a zone, such as 2026-01-31T12:00:00Z",
  },
} satisfies Record<
  FieldKind,
  { isText: (text: string) => boolean; isLiteral: (literal: string) => boolean; expected: string }
>;

/**
 * The text of every field of the catalogue that the data have, by name: strings as they are, numbers with the very
 * digits they came with, `true` and `false`. Missing, null and empty values are absent, as are objects and arrays.
 * `dataText` is the JSON text of an object; of names given twice the last counts.
 */
export function readFields(
  dataText: string,
  fields: readonly Pick<CatalogueField, "name">[],
): Map<string, string> {
  const members = topLevelMembers(dataText);
  const values = new Map<string, string>();
  for (const { name } of fields) {
    const value = members.get(name);
    if (value === undefined || isAbsent(value) || isContainer(value)) continue;
    values.set(name, isString(value) ? stringValue(value) : value);
  }
  return values;
}

/**
 * What of the data the catalogue does not allow: a required field that is missing, null or empty, or a value of another
 * kind. Fields that the catalogue does not have pass. `dataText` is the JSON text of an object.
 */
export function checkData(
  dataText: string,
  fields: readonly Pick<CatalogueField, "name" | "kind" | "required">[],
): DataFault[] {
  const members = topLevelMembers(dataText);
  const faults: DataFault[] = [];
  for (const { name, kind, required } of fields) {
    const value = members.get(name);
    if (value === undefined || isAbsent(value)) {
      if (required) faults.push({ field: name, message: "is required by its event type" });
    } else if (!isOfKind(value, kind)) {
      faults.push({ field: name, message: kinds[kind].expected });
    }
  }
  return faults;
}

/** Whether the text, as a person writes it into the catalogue, stands for a value of the kind; else what is expected. */
export function exampleFault(example: string, kind: FieldKind): string | null {
  return isOfKind(exampleJson({ example, kind }), kind) ? null : kinds[kind].expected;
}

/** The JSON text of data with every field's example; money as text, so that nobody's parser rounds it. */
export function exampleData(fields: readonly Pick<CatalogueField, "name" | "kind" | "example">[]): string {
  const members = fields.map((field) => `  ${JSON.stringify(field.name)}: ${exampleJson(field)}`);
  return members.length === 0 ? "{}" : `{\n${members.join(",\n")}\n}`;
}

function exampleJson({ example, kind }: Pick<CatalogueField, "example" | "kind">): string {
  const isBare =
    (kind === "integer" && jsonInteger.test(example)) || (kind === "boolean" && booleans.includes(example));
  return isBare ? example : JSON.stringify(example);
}

function isOfKind(value: string, kind: FieldKind): boolean {
  if (isContainer(value)) return false;
  return isString(value) ? kinds[kind].isText(stringValue(value)) : kinds[kind].isLiteral(value);
}

const isAbsent = (value: string) => value === "null" || value === '""';
const isString = (value: string) => value.startsWith('"');
const isContainer = (value: string) => value.startsWith("{") || value.startsWith("[");
const stringValue = (value: string): string =>
  value.includes("\\") ? JSON.parse(value) : value.slice(1, -1);

/** ISO 8601 with a zone, and a day that its month has. */
function isTime(text: string): boolean {
  const match = time.exec(text);
  if (!match) return false;
  const [, year, month, day] = match;
  const days = new Date(Date.UTC(2000 + (Number(year) % 400), Number(month), 0)).getUTCDate();
  return Number(day) <= days;
}

/**
 * The members of a JSON object by name, each value as the text it is written in. Not JSON.parse with source text access:
 * that calls back for every value at any depth, and an event may have half a million of them.
 */
function topLevelMembers(text: string): Map<string, string> {
  const members = new Map<string, string>();
  eachMember(text, ({ name, start, end }) => members.set(name, text.slice(start, end)));
  return members;
}

/** Calls back for every member of a JSON object's text, in order, with where its value lies. */
export function eachMember(
  text: string,
  visit: (member: { name: string; start: number; end: number }) => void,
): void {
  let at = skipSpace(text, text.indexOf("{") + 1);
  while (text[at] === '"') {
    const nameEnd = stringEnd(text, at);
    const name = stringValue(text.slice(at, nameEnd));
    const start = skipSpace(text, after(text, ":", nameEnd));
    const end = valueEnd(text, start);
    visit({ name, start, end });
    at = skipSpace(text, after(text, ",", end));
  }
}

function valueEnd(text: string, start: number): number {
  const first = text[start];
  if (first === '"') return stringEnd(text, start);
  if (first === "{" || first === "[") return containerEnd(text, start);
  let at = start;
  while (at < text.length && !isSpaceOrPunctuation(text.charCodeAt(at))) at += 1;
  return at;
}

function containerEnd(text: string, start: number): number {
  let depth = 0;
  for (let at = start; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (code === quote) at = stringEnd(text, at) - 1;
    else if (code === openBrace || code === openBracket) depth += 1;
    else if (code === closeBrace || code === closeBracket) depth -= 1;
    if (depth === 0) return at + 1;
  }
  return text.length;
}

/** A quote ends the string unless an odd number of backslashes stands before it. */
function stringEnd(text: string, start: number): number {
  for (let at = text.indexOf('"', start + 1); at !== -1; at = text.indexOf('"', at + 1)) {
    let slashes = 0;
    while (text.charCodeAt(at - 1 - slashes) === backslash) slashes += 1;
    if (slashes % 2 === 0) return at + 1;
  }
  return text.length;
}

/** Always forwards, so that the walk ends whatever the text is. */
function after(text: string, sign: string, from: number): number {
  const at = text.indexOf(sign, from);
  return at === -1 ? text.length : at + 1;
}

function skipSpace(text: string, from: number): number {
  let at = from;
  while (text.charCodeAt(at) <= space) at += 1;
  return at;
}

const isSpaceOrPunctuation = (code: number) => code <= space || code === comma || code === closeBrace;

const space = 0x20;
const quote = 0x22;
const comma = 0x2c;
const openBracket = 0x5b;
const backslash = 0x5c;
const closeBracket = 0x5d;
const openBrace = 0x7b;
const closeBrace = 0x7d;
