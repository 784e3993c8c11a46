/**
 * A strict JSON reader (RFC 8259) that makes no values: it says where a value lies in the bytes, so that they
 * can be kept as they came, and what is inside that cannot be delivered. Linear, without recursion, and without
 * an object per value: JSON.parse takes four seconds for 16 MiB of brackets.
 */
export type JsonCursor = { readonly bytes: Buffer; at: number };

export type JsonSpan = {
  start: number;
  end: number;
  /** 0 for a scalar, 1 for a flat object or array. */
  depth: number;
  hasNul: boolean;
  hasLoneSurrogate: boolean;
};

/** Thrown at the first byte that no JSON text could have there. */
export class MalformedJson extends Error {
  override readonly name = "MalformedJson";
  readonly at: number;

  constructor(at: number) {
    super(`unexpected byte or end at offset ${at}`);
    this.at = at;
  }
}

export const byte = {
  quote: 0x22,
  comma: 0x2c,
  minus: 0x2d,
  plus: 0x2b,
  point: 0x2e,
  zero: 0x30,
  colon: 0x3a,
  backslash: 0x5c,
  openBracket: 0x5b,
  closeBracket: 0x5d,
  openBrace: 0x7b,
  closeBrace: 0x7d,
  lowerU: 0x75,
} as const;
const simpleEscapes = new Set(Buffer.from('"\\/bfnrt'));
const literals = new Map(["true", "false", "null"].map((word) => [word.charCodeAt(0), Buffer.from(word)]));

/** The next byte that is not white space, not yet taken; undefined at the end. */
export function peek(cursor: JsonCursor): number | undefined {
  for (;;) {
    const next = cursor.bytes[cursor.at];
    if (next !== 0x20 && next !== 0x0a && next !== 0x0d && next !== 0x09) return next;
    cursor.at += 1;
  }
}

/** Takes one punctuation byte, after white space. */
export function take(cursor: JsonCursor, expected: number): void {
  if (peek(cursor) !== expected) throw new MalformedJson(cursor.at);
  cursor.at += 1;
}

/** Takes one punctuation byte if it comes next. */
export function takeIf(cursor: JsonCursor, wanted: number): boolean {
  if (peek(cursor) !== wanted) return false;
  cursor.at += 1;
  return true;
}

/** Takes one whole value of any kind, its bytes being UTF-8. */
export function takeValue(cursor: JsonCursor): JsonSpan {
  const span: JsonSpan = { start: 0, end: 0, depth: 0, hasNul: false, hasLoneSurrogate: false };
  /** The closing byte of every container that is open. */
  const open: number[] = [];
  peek(cursor);
  span.start = cursor.at;
  do {
    if (!takeOpening(cursor, open, span)) continue;
    takeClosings(cursor, open, span);
  } while (open.length > 0);
  span.end = cursor.at;
  return span;
}

/** Takes a scalar, or opens a container; false when a container was opened and its first value comes next. */
function takeOpening(cursor: JsonCursor, open: number[], span: JsonSpan): boolean {
  const first = peek(cursor);
  if (first !== byte.openBrace && first !== byte.openBracket) {
    takeScalar(cursor, span);
    return true;
  }
  cursor.at += 1;
  const closing = first === byte.openBrace ? byte.closeBrace : byte.closeBracket;
  if (open.length >= span.depth) span.depth = open.length + 1;
  if (takeIf(cursor, closing)) return true;
  open.push(closing);
  if (closing === byte.closeBrace) takeName(cursor, span);
  return false;
}

/** After a value: closes what ends here, and goes on to the next value of what does not. */
function takeClosings(cursor: JsonCursor, open: number[], span: JsonSpan): void {
  while (open.length > 0) {
    const closing = open[open.length - 1] as number;
    if (takeIf(cursor, closing)) {
      open.pop();
      continue;
    }
    take(cursor, byte.comma);
    if (closing === byte.closeBrace) takeName(cursor, span);
    return;
  }
}

/** Takes a member's name and the colon after it; returns where the name lies, quotes included. */
export function takeName(
  cursor: JsonCursor,
  span: Pick<JsonSpan, "hasNul" | "hasLoneSurrogate">,
): [number, number] {
  if (peek(cursor) !== byte.quote) throw new MalformedJson(cursor.at);
  const start = cursor.at;
  takeString(cursor, span);
  const end = cursor.at;
  take(cursor, byte.colon);
  return [start, end];
}

function takeScalar(cursor: JsonCursor, span: JsonSpan): void {
  const first = cursor.bytes[cursor.at] ?? 0;
  const literal = literals.get(first);
  if (first === byte.quote) takeString(cursor, span);
  else if (literal) takeLiteral(cursor, literal);
  else takeNumber(cursor);
}

function takeLiteral(cursor: JsonCursor, literal: Buffer): void {
  for (const expected of literal) {
    if (cursor.bytes[cursor.at] !== expected) throw new MalformedJson(cursor.at);
    cursor.at += 1;
  }
}

function takeString(cursor: JsonCursor, span: Pick<JsonSpan, "hasNul" | "hasLoneSurrogate">): void {
  cursor.at += 1;
  for (;;) {
    const next = cursor.bytes[cursor.at];
    if (next === undefined || next < 0x20) throw new MalformedJson(cursor.at);
    if (next === byte.backslash) {
      takeEscape(cursor, span);
      continue;
    }
    cursor.at += 1;
    if (next === byte.quote) return;
  }
}

function takeEscape(cursor: JsonCursor, span: Pick<JsonSpan, "hasNul" | "hasLoneSurrogate">): void {
  const kind = cursor.bytes[cursor.at + 1];
  if (kind !== byte.lowerU) {
    if (kind === undefined || !simpleEscapes.has(kind)) throw new MalformedJson(cursor.at + 1);
    cursor.at += 2;
    return;
  }
  const unit = hexUnit(cursor.bytes, cursor.at + 2);
  cursor.at += 6;
  if (unit === 0) span.hasNul = true;
  if (unit < 0xd800 || unit > 0xdfff) return;
  const { bytes, at } = cursor;
  if (unit < 0xdc00 && bytes[at] === byte.backslash && bytes[at + 1] === byte.lowerU) {
    const low = hexUnit(bytes, at + 2);
    if (low >= 0xdc00 && low <= 0xdfff) {
      cursor.at += 6;
      return;
    }
  }
  span.hasLoneSurrogate = true;
}

function hexUnit(bytes: Buffer, start: number): number {
  let unit = 0;
  for (let at = start; at < start + 4; at += 1) {
    const digit = hexDigit(bytes[at]);
    if (digit < 0) throw new MalformedJson(at);
    unit = unit * 16 + digit;
  }
  return unit;
}

function hexDigit(code: number | undefined): number {
  if (code === undefined) return -1;
  if (code >= 0x30 && code <= 0x39) return code - 0x30;
  const letter = code | 0x20;
  return letter >= 0x61 && letter <= 0x66 ? letter - 0x57 : -1;
}

function takeNumber(cursor: JsonCursor): void {
  const { bytes } = cursor;
  if (bytes[cursor.at] === byte.minus) cursor.at += 1;
  if (bytes[cursor.at] === byte.zero) cursor.at += 1;
  else takeDigits(cursor);
  if (bytes[cursor.at] === byte.point) {
    cursor.at += 1;
    takeDigits(cursor);
  }
  if (((bytes[cursor.at] ?? 0) | 0x20) === 0x65) {
    cursor.at += 1;
    if (bytes[cursor.at] === byte.plus || bytes[cursor.at] === byte.minus) cursor.at += 1;
    takeDigits(cursor);
  }
}

function takeDigits(cursor: JsonCursor): void {
  const start = cursor.at;
  for (
    let code = cursor.bytes[cursor.at] ?? 0;
    code >= 0x30 && code <= 0x39;
    code = cursor.bytes[cursor.at] ?? 0
  ) {
    cursor.at += 1;
  }
  if (cursor.at === start) throw new MalformedJson(cursor.at);
}
