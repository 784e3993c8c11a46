import { describe, expect, test } from "vitest";
import { createMasker, maskValues } from "#lib/redaction/mask.ts";

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
    expect(maskValues(text, values)).toBe(masked);
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
