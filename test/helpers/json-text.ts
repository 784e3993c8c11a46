import fc from "fast-check";

/** White space as people and libraries write it. */
export const space = fc.stringMatching(/^[ \t\r\n]{0,3}$/);

/** A string's text between quotes: raw characters, every kind of escape, pairs, halves and NUL. */
export const stringText = fc
  .array(
    fc.oneof(
      fc.string({ unit: "grapheme", maxLength: 3 }).map((text) => JSON.stringify(text).slice(1, -1)),
      fc.constantFrom(
        '\\"',
        "\\\\",
        "\\/",
        "\\b",
        "\\f",
        "\\n",
        "\\r",
        "\\t",
        "\u2028",
        "é",
        "e\u0301",
        "😀",
        "\\u003c",
      ),
      fc.constantFrom(
        "\\ud83d\\ude00",
        "\\uD83D\\uDE00",
        "\\ud800",
        "\\udc00",
        "\\ud800\\ud800",
        "\\u0000",
        "\\ud800x",
      ),
    ),
    { maxLength: 6 },
  )
  .map((parts) => `"${parts.join("")}"`);

const scalar = fc.oneof(
  stringText,
  fc.constantFrom(
    "true",
    "false",
    "null",
    "0",
    "-0",
    "1.0",
    "1e400",
    "9007199254740993",
    "-1.5E-7",
    "0.10e+2",
  ),
  fc.double({ noNaN: true, noDefaultInfinity: true }).map(String),
);

/** JSON text of any shape, written in every legal way. */
export const { json } = fc.letrec<{ json: string }>((tie) => ({
  json: fc.oneof(
    { maxDepth: 4 },
    scalar,
    fc
      .tuple(space, fc.array(fc.tuple(space, tie("json"), space), { maxLength: 4 }))
      .map(([inner, items]) =>
        items.length === 0 ? `[${inner}]` : `[${items.map((item) => item.join("")).join(",")}]`,
      ),
    fc
      .tuple(space, fc.array(fc.tuple(space, stringText, space, space, tie("json"), space), { maxLength: 4 }))
      .map(([inner, members]) =>
        members.length === 0
          ? `{${inner}}`
          : `{${members.map(([a, name, b, c, value, d]) => `${a}${name}${b}:${c}${value}${d}`).join(",")}}`,
      ),
  ),
}));
