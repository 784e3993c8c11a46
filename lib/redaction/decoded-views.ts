/**
 * A text as one reads it after decoding, and where each of its UTF-16 units lies in the text that it was made of.
 * Without places it is that text itself.
 */
export type DecodedView = { text: string; places: { starts: Int32Array; ends: Int32Array } | null };

type Decoder = { mark: string; pattern: RegExp; decode: (match: string) => string };

/** One character of UTF-8, percent-encoded. */
const percentEncoded =
  "%[0-7][0-9a-f]|%[c-d][0-9a-f]%[89ab][0-9a-f]|%e[0-9a-f](?:%[89ab][0-9a-f]){2}|%f[0-7](?:%[89ab][0-9a-f]){3}";

const decoders: readonly Decoder[] = [
  {
    mark: "\\",
    pattern: /\\(?:u[0-9a-f]{4}|["\\/bfnrt])/gi,
    decode: (match) => (match === "\\/" ? "/" : jsonEscape(match)),
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

/** The text itself, and what JSON, URL and form decoding make of it, also one after another. */
export function decodedViews(text: string): DecodedView[] {
  const views: DecodedView[] = [{ text, places: null }];
  let latest = views;
  for (let depth = 0; depth < maxDepth; depth++) {
    latest = latest.flatMap((view) => decoders.flatMap((decoder) => decodeView(view, decoder) ?? []));
    views.push(...latest);
  }
  return views;
}

/** Null when there is nothing to decode. */
function decodeView({ text, places }: DecodedView, { mark, pattern, decode }: Decoder): DecodedView | null {
  if (!text.includes(mark)) return null;
  const starts = new Int32Array(text.length);
  const ends = new Int32Array(text.length);
  const startOf = (at: number) => places?.starts[at] ?? at;
  const endOf = (at: number) => places?.ends[at] ?? at + 1;
  const parts: string[] = [];
  let length = 0;
  let copiedTo = 0;
  const copy = (to: number) => {
    for (let at = copiedTo; at < to; at++, length++) {
      starts[length] = startOf(at);
      ends[length] = endOf(at);
    }
    parts.push(text.slice(copiedTo, to));
  };
  for (const { 0: match, index } of text.matchAll(pattern)) {
    copy(index);
    copiedTo = index + match.length;
    const decoded = decode(match);
    for (let unit = 0; unit < decoded.length; unit++, length++) {
      starts[length] = startOf(index);
      ends[length] = endOf(copiedTo - 1);
    }
    parts.push(decoded);
  }
  if (copiedTo === 0) return null;
  copy(text.length);
  return { text: parts.join(""), places: { starts, ends } };
}

function jsonEscape(match: string): string {
  try {
    return JSON.parse(`"${match}"`);
  } catch {
    return match;
  }
}

function percentDecode(match: string): string {
  try {
    return decodeURIComponent(match);
  } catch {
    return match;
  }
}
