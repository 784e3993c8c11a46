import { describe, expect, test } from "vitest";
import { maskingBudget } from "#lib/redaction/budget.ts";
import { createMasker, maskSought } from "#lib/redaction/mask.ts";
import { soughtOf } from "#lib/redaction/sought.ts";

const mask = (text: string, values: readonly string[]) =>
  maskSought(text, { sought: soughtOf(values), budget: { left: maskingBudget } });

describe("a value is masked wherever it stands", () => {
  test.each([
    ["as it is", "click clk-12345 came", ["clk-12345"], "click ••••45 came"],
    ["twice", "clk-12345clk-12345", ["clk-12345"], "••••45••••45"],
    ["short of eight characters, without its end", "?id=1234567&x=1", ["1234567"], "?id=••••&x=1"],
    ["with an end that is not plain", "a12345-/b", ["a12345-/"], "••••b"],
    ["percent-encoded, whatever the case", "?c=a%2fb%2Fc-1234&d", ["a/b/c-1234"], "?c=••••34&d"],
    ["percent-encoded without need", "?c=%63lk-1234", ["clk-1234"], "?c=••••34"],
    ["percent-encoded beyond ASCII", "?c=%C3%A9t%C3%A9-12345&%C3%A9", ["été-12345"], "?c=••••45&%C3%A9"],
    ["form-encoded", "c=a+b+c+1234&d=1+2", ["a b c 1234"], "c=••••34&d=1+2"],
    ["encoded twice", "?next=%3Fc%3Da%252Fb-12345", ["a/b-12345"], "?next=%3Fc%3D••••45"],
    ["in JSON", '{"c":"say \\"hi\\" \\u00e9\\/"}', ['say "hi" é/'], '{"c":"••••"}'],
    [
      "in a URL in JSON",
      '{"u":"https:\\/\\/x\\/?c=a%20b%20c"}',
      ["a b c"],
      '{"u":"https:\\/\\/x\\/?c=••••"}',
    ],
    [
      "short, only where it stands alone",
      "payout=5&x=15&y=5.0&z=a5",
      ["5"],
      "payout=••••&x=15&y=••••.0&z=a5",
    ],
    ["overlapping another", "abcdefghij", ["abcdefgh", "efghij"], "••••"],
    ["as part of a longer one", "abcdefghij", ["abcdefghij", "cdef"], "••••"],
    ["that could be two places", "aaaaaaaaa", ["aaaaaaaa"], "••••"],
    ["what looks like an escape and is none", "100% \\q +1 %zz", ["nothing"], "100% \\q +1 %zz"],
  ])("%s", (_, text, values, masked) => {
    expect(mask(text, values)).toBe(masked);
  });
});

describe("what the functions of templates make of a value is masked as well", () => {
  test.each([
    ["lower", "clk-12345", "••••45"],
    ["upper", "CLK-12345", "••••45"],
    ["sha256", "4e3ea9c98ea2da484b0214e92d5cc2406552e11ad00222d8a54f9c092685bad2", "••••"],
    ["md5", "30121e8ba623413cf030e58ff3d030e9", "••••"],
    ["lower:sha256", "96f9a191b6d5eb9d448d00604fca22a725f68bc60e9c25872bc4d99526201ac4", "••••"],
    ["upper:sha256", "c6d751c5d8335889464ca995af393070a0c273dce4bb1b43e61c728b5e000b10", "••••"],
    ["lower:md5", "97e8dc733f453bd3846ed70f96c39035", "••••"],
    ["upper:md5", "10220f48109250741ed614fbe748093c", "••••"],
    ["sha256:upper", "4E3EA9C98EA2DA484B0214E92D5CC2406552E11AD00222D8A54F9C092685BAD2", "••••"],
    ["sha256:md5", "c363b206fe11f295d3135833593b7155", "••••"],
    ["upper:sha256:upper:md5", "026a9dfa25fe19a835f4da333ed9e0a3", "••••"],
    ["sha256 of a short one", "ef2d127de37b942baad06145e54b0c619a1f22327b2ebbcfbec78f5564afe39d", "••••"],
    ["md5 of a short one", "e4da3b7fbbce2345d7772b0674a318d5", "••••"],
  ])("%s", (_, made, masked) => {
    const encoded = made.replace(/./, (sign) => `\\u00${sign.charCodeAt(0).toString(16)}`);
    const text = (what: string, again = what) => `?h=${what}&x=1&c0de${what}f00d {"h":"${again}"}`;
    expect(mask(text(made, encoded), ["Clk-12345", "5"])).toBe(text(masked));
  });

  test("but no other hash", () => {
    const other = "900150983cd24fb0d6963f7d28e17f72";
    expect(mask(`${other} ${other}${other}`, ["Clk-12345"])).toBe(`${other} ${other}${other}`);
  });
});

const fields = [
  { name: "click_id", sensitive: true },
  { name: "payout", sensitive: true },
  { name: "goal", sensitive: false },
];

describe("the event's data", () => {
  test.each([
    [
      "keep all other bytes",
      '{ "click_id" : "clk-12345",\n "goal":1.0,"x":[ ] }',
      '{ "click_id" : "••••45",\n "goal":1.0,"x":[ ] }',
    ],
    ["with numbers", '{"payout":45.00,"goal":45.001}', '{"payout":"••••","goal":"••••1"}'],
    [
      "with a name given twice",
      '{"click_id":"first-one","click_id":"other-two"}',
      '{"click_id":"••••ne","click_id":"••••wo"}',
    ],
    ["with a name in escapes", '{"click\\u005fid":"clk-12345"}', '{"click\\u005fid":"••••45"}'],
    [
      "with an object",
      '{"click_id":{"a":"inner-value","b":[7777]},"goal":"inner-value 7777"}',
      '{"click_id":"••••","goal":"••••ue ••••"}',
    ],
    [
      "with the value in another field",
      '{"goal":"of clk-12345","click_id":"clk-12345"}',
      '{"goal":"of ••••45","click_id":"••••45"}',
    ],
    ["without any", '{"click_id":null,"payout":"","goal":"g"}', '{"click_id":null,"payout":"","goal":"g"}'],
  ])("%s", (_, dataText, masked) => {
    expect(createMasker({ fields, dataText })?.data(dataText)).toBe(masked);
  });
});

test("nothing is masked of a type without sensitive fields", () => {
  expect(createMasker({ fields: [{ name: "goal", sensitive: false }], dataText: "{}" })).toBeNull();
  expect(createMasker({ fields: [], dataText: null })).toBeNull();
});

test.each([
  ["the data are gone", { fields, dataText: null }],
  ["the type is gone", { fields: null, dataText: '{"click_id":"clk-12345"}' }],
  [
    "there are too many values",
    { fields, dataText: `{"click_id":${JSON.stringify(Array.from({ length: 201 }, (_, i) => i))}}` },
  ],
])("all that could hold a value is masked where %s", (_, event) => {
  const masker = createMasker(event);
  expect(masker?.url("https://x.example/p/clk-12345?c=1")).toBe("https://x.example/••••");
  expect(masker?.url("no url")).toBe("••••");
  expect(masker?.text("OK")).toBe("••••");
  expect(masker?.text("")).toBe("");
  expect(masker?.data("{}")).toBe("••••");
});

describe("past what it may cost", () => {
  const values = ["clk-12345", "Canary/7 & more", "98765.43"];
  const dataText = JSON.stringify({ click_id: values.slice(0, 2), payout: values[2], goal: "signup" });
  const ofLength = (piece: string) => piece.repeat(Math.ceil(65_536 / piece.length)).slice(0, 65_536);

  test.each([
    ["marks of every encoding", "%41+\\u0041"],
    ["marks that make marks", "%5Cu00255Cu0041+%2525"],
    ["hex", "0123456789abcdef"],
    ["hex in marks", "%30+\\u0030123456789abcdef0123456789abcdef0123456789abcdef"],
    ["a value over and over", "clk-12345%2B+\\u0041"],
  ])("the rest is masked whole: answers full of %s", (_, piece) => {
    const masker = createMasker({ fields, dataText });
    const shown = Array.from({ length: 100 }, () => masker?.text(`${ofLength(piece)} ${values[0]}`) ?? "");
    expect(shown.at(-1)).toBe("••••");
    expect(shown.filter((text) => values.some((value) => text.includes(value)))).toEqual([]);
    expect(masker?.text("OK")).toBe("••••");
    expect(masker?.url("https://x.example/?c=1")).toBe("••••");
    expect(masker?.data(dataText)).toBe("••••");
  });

  test.each([
    ["pretty JSON", '{ "status": "ok", "message": "Conversion \\"lead\\" was taken", "score": 1.5 },\n'],
    [
      "HTML",
      '<li class="a b"><a href="/next?q=a+b%20c&amp;d=1">C\\u0026A and 100% more</a>, said they</li>\n',
    ],
    ["HTML without marks", "<p>Not found. The page that you look for is not here, or not any more.</p>\n"],
  ])("which a dozen ordinary answers of 64 KiB are not: %s", (_, line) => {
    const masker = createMasker({ fields, dataText });
    const answer = ofLength(line);
    for (let attempt = 0; attempt < 14; attempt++) {
      expect(masker?.text(`${answer}clk-12345 98765.43`)).toBe(`${answer}••••45 ••••43`);
    }
  });

  test("a value is looked for by its beginning, but is masked only where all of it stands", () => {
    const value = `${"ab".repeat(200)}cd`;
    expect(mask(`${"ab".repeat(500)}cd ${"ab".repeat(150)}`, [value])).toBe(
      `${"ab".repeat(300)}••••cd ${"ab".repeat(150)}`,
    );
  });
});
