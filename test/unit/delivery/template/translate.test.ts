import { describe, expect, test } from "vitest";
import { translateTemplate } from "#lib/delivery/template/translate.ts";
import { startingFields } from "#test/helpers/postback-cases.ts";

const names = startingFields.map(({ name }) => name);
const page = "https://t.example/p";

describe("a pasted template is translated", () => {
  test.each([
    ["#s2#", "{sub2}"],
    ["#price#", "{payout}"],
    ["#affid#", "{affiliate_id}"],
    ["[CLICK_ID]", "{click_id}"],
    ["[payout]", "{payout}"],
    ["{{payout}}", "{payout}"],
    ["{{ payout }}", "{payout}"],
    ["{{{payout}}}", "{payout}"],
    ["{{secret.token}}", "{secret.token}"],
    ["%payout%", "{payout}"],
    ["%campaign_id%", "{campaign_id}"],
    ["%CLICK_ID%20x", "{click_id}20x"],
    [`\${payout}`, "{payout}"],
    [`$\${payout}`, "{payout}"],
    ["{#sub1#}", "{sub1}"],
    ["{{aff_sub}}-{{aff_sub4}}", "{sub1}-{sub4}"],
    ["{{unixtime}}{{datetime}}{{geo}}{{goal_id}}", "{timestamp}{timestamp_iso}{country}{goal}"],
    ["1&amp;b=2&AMP;c&#38;d&#x26;e&amp;amp;f", "1&b=2&c&d&e&f"],
  ])("%s", (pasted, ours) => {
    const result = translateTemplate(`${page}?a=${pasted}`, names);
    expect(result).toMatchObject({ text: `${page}?a=${ours}`, unknown: [] });
  });

  test("with what was replaced, and what nobody knows", () => {
    expect(translateTemplate(`${page}?a=#s1#&b=#nope#&c=#s1#&d=[NOPE]`, names)).toEqual({
      text: `${page}?a={sub1}&b={nope}&c={sub1}&d={NOPE}`,
      replaced: [
        { from: "#s1#", to: "{sub1}" },
        { from: "#nope#", to: "{nope}" },
        { from: "[NOPE]", to: "{NOPE}" },
      ],
      unknown: ["nope", "NOPE"],
    });
  });

  test("as the body of a request too", () => {
    expect(translateTemplate('{"a":"[payout] &amp; 5%","b":{{amount}},"c":[true]}', names)?.text).toBe(
      '{"a":"{payout} &amp; 5%","b":{amount},"c":[true]}',
    );
  });

  test("only to names that are there", () => {
    expect(translateTemplate("x={{cid}}", ["sub1"])).toMatchObject({ text: "x={cid}", unknown: ["cid"] });
  });
});

test.each([
  `${page}?a={click_id}&b={status:map(a=%payout%)|[SUB1]}`,
  `${page}?filter[STATUS]=1&a[]=2&b=[x]&list[0][payout]=1`,
  `${page}?a=100%25&b=%20off%20&c=%ad%20&d=%ca%20%payout`,
  `${page}?a=5$&b=%7Bpayout%7D&c={payout}&amplitude=1`,
  "https://[::1]/p",
  '{"a":"&amp;","b":{"c":{}},"d":["x"],"e":"#top# 5% off%"}',
  "",
])("nothing to translate: %s", (text) => {
  expect(translateTemplate(text, names)).toBeNull();
});
