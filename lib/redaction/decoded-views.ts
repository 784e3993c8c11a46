import { type Budget, spend } from "./budget.ts";

/**
 * A text as one reads it after decoding, and where each of its UTF-16 units lies in the text that it was made of.
 * Without places it is that text itself.
 */
export type DecodedView = { text: string; places: { starts: Int32Array; ends: Int32Array } | null };

type Decoder = { mark: string; pattern: RegExp; decode: (match: string) => string };

/** One character of UTF-8, percent-encoded. */
const percentEncoded =
  "%[0-7][0-9a-f]|%[c-d][0-9a-f]%[89ab][0-9a-f]|%e[0-9a-f](?:%[89ab][0-9a-f]){2}|%f[0-7](?:%[89ab][0-9a-f]){3}";

const jsonEscapes = new Map(
  ['\\"', "\\\\", "\\/", "\\b", "\\f", "\\n", "\\r", "\\t"].map((written) => [
    written,
    JSON.parse(`"${written}"`),
  ]),
);

const decoders: readonly Decoder[] = [
  {
    mark: "\\",
    pattern: /\\(?:u[0-9a-f]{4}|["\\/bfnrt])/gi,
    decode: jsonEscape,
  },
  { mark: "%", pattern: new RegExp(percentEncoded, "gi"), decode: percentDecode },
  {
    mark: "+",
    pattern: new RegExp(`\\+|${percentEncoded}`, "gi"),
    decode: (match) => (match === "+" ? " " : percentDecode(match)),
  },
];
/** A URL in JSON, a URL in a URL, JSON in JSON. */
const maxDepth = 2;

/** A match costs more than the characters around it, which are copied. */
const matchCost = 256;

/**
 * The text itself, and what JSON, URL and form decoding make of it, also one after another. Ends early, with a budget
 * below zero, when they would cost more than that.
 */
export function* decodedViews(text: string, budget: Budget): Generator<DecodedView> {
  yield* withDecoded({ text, places: null }, { depth: 0, budget });
}

/** Depth first, so that few of them are in memory at once. */
function* withDecoded(
  view: DecodedView,
  { depth, budget }: { depth: number; budget: Budget },
): Generator<DecodedView> {
  yield view;
  if (depth === maxDepth) return;
  for (const decoder of decoders) {
    const decoded = decodeView(view, decoder, budget);
    if (budget.left < 0) return;
    if (decoded) yield* withDecoded(decoded, { depth: depth + 1, budget });
  }
}

/** Null when there is nothing to decode, or the budget does not allow it. */
function decodeView(
  { text, places }: DecodedView,
  { mark, pattern, decode }: Decoder,
  budget: Budget,
): DecodedView | null {
  if (!text.includes(mark) || !spend(budget, 4 * text.length)) return null;
  const starts = new Int32Array(text.length);
  const ends = new Int32Array(text.length);
  const { starts: startsBefore, ends: endsBefore } = places ?? ownPlaces(text);
  const parts: string[] = [];
  let length = 0;
  let copiedTo = 0;
  const copy = (to: number) => {
    starts.set(startsBefore.subarray(copiedTo, to), length);
    ends.set(endsBefore.subarray(copiedTo, to), length);
    length += to - copiedTo;
    parts.push(text.slice(copiedTo, to));
  };
  for (const { 0: match, index } of text.matchAll(pattern)) {
    if (!spend(budget, matchCost)) return null;
    copy(index);
    copiedTo = index + match.length;
    const decoded = decode(match);
    for (let unit = 0; unit < decoded.length; unit++, length++) {
      starts[length] = startsBefore[index] ?? 0;
      ends[length] = endsBefore[copiedTo - 1] ?? 0;
    }
    parts.push(decoded);
  }
  if (copiedTo === 0) return null;
  copy(text.length);
  return { text: parts.join(""), places: { starts, ends } };
}

function ownPlaces({ length }: string): { starts: Int32Array; ends: Int32Array } {
  const starts = new Int32Array(length);
  const ends = new Int32Array(length);
  for (let at = 0; at < length; at++) {
    starts[at] = at;
    ends[at] = at + 1;
  }
  return { starts, ends };
}

/** What JSON does not know, such as "\\U", stays. */
function jsonEscape(match: string): string {
  if (match[1] === "u") return String.fromCharCode(Number.parseInt(match.slice(2), 16));
  return jsonEscapes.get(match) ?? match;
}

function percentDecode(match: string): string {
  // Most are ASCII, for which this is many times as fast.
  if (match.length === 3) return String.fromCharCode(Number.parseInt(match.slice(1), 16));
  try {
    return decodeURIComponent(match);
  } catch {
    return match;
  }
}
