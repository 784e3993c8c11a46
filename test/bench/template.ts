import { performance } from "node:perf_hooks";
import { checkTemplate } from "#lib/delivery/template/check.ts";
import { compileTemplate, renderTemplate } from "#lib/delivery/template/render.ts";
import { translateTemplate } from "#lib/delivery/template/translate.ts";
import type { TemplateSource } from "#lib/delivery/template/types.ts";

/**
 * Shows that templates cost time in proportion to their length, also those made to be slow, and what one rendering
 * costs. `node test/bench/template.ts`; a row grows linearly if ten times the text takes about ten times as long.
 */
const names = ["click_id", "payout", "currency", "status", "sub1", "sub2"];
const eventTypes = [{ name: "ftd", fields: names.map((name) => ({ name, kind: "string" as const })) }];
const sizes = [10_000, 20_000, 40_000, 65_536, 100_000];
const rounds = 9;

const patterns: [name: string, unit: string][] = [
  ["macros", "{sub1}"],
  ["functions", "{sub1:lower:upper:sha256|none}"],
  ["one long chain", ":lower"],
  ["unknown macros", "{nonsense}"],
  ["opening braces", "{"],
  ["closing braces", "}"],
  ["open parentheses", "{sub1:map("],
  ["nested opening", "{sub1|{"],
  ["foreign macros", "#sub1#"],
  ["half foreign", "{{sub1"],
  ["hashes", "#a"],
  ["dollars", "$"],
  ["percents", "%zz"],
  ["brackets", "[a"],
  ["entities", "&amp"],
  ["amp amp amp", "amp;"],
  ["quotes", '"'],
  ["quoted braces", '"{a"'],
  ["backslashes", "\\"],
  ["spaces", " "],
  ["dots", "../"],
  ["secret keys", "token=a&"],
  ["names", "a.b-c_"],
];

/** The fastest of some rounds, in ms: what the code costs without the machine's other work. */
function fastestMs(run: () => void): number {
  let fastest = Number.POSITIVE_INFINITY;
  for (let i = 0; i < rounds; i += 1) {
    const startMs = performance.now();
    run();
    fastest = Math.min(fastest, performance.now() - startMs);
  }
  return fastest;
}

/** Everything that is done with text as it is typed. The check refuses the longest at once; parsing does not. */
function work(text: string): void {
  const url: TemplateSource = {
    method: "GET",
    url: `https://t.example/?${text}`,
    body: null,
    contentType: null,
  };
  const context = { eventTypes, secretNames: [] };
  checkTemplate(url, context);
  for (const contentType of ["application/json", "application/x-www-form-urlencoded"] as const) {
    for (const body of [text, `{"a":"${text}"}`]) {
      const post = { ...url, method: "POST", url: "https://t.example/", body, contentType } as const;
      checkTemplate(post, context);
      compileTemplate(post);
    }
  }
  compileTemplate(url);
  translateTemplate(text, names);
}

const say = (text: string) => void process.stdout.write(`${text}\n`);
say(`${"characters".padEnd(20)}${sizes.map((size) => size.toLocaleString("en-US").padStart(12)).join("")}`);
for (const [name, unit] of patterns) {
  const times = sizes.map((size) => fastestMs(() => work(unit.repeat(size / unit.length))));
  say(`${name.padEnd(20)}${times.map((ms) => `${ms.toFixed(2)} ms`.padStart(12)).join("")}`);
}

const template = compileTemplate({
  method: "GET",
  url: "https://t.example/pb?cid={click_id}&p={payout}&cur={currency}&st={status:map(approved=1)}&t={timestamp}&s={sub1|none}",
  body: null,
  contentType: null,
});
const input = {
  values: new Map([
    ["click_id", "a b/c"],
    ["payout", "12.50"],
    ["currency", "EUR"],
    ["status", "approved"],
  ]),
  event: { id: "evt-1", type: "ftd", occurredAtMs: 1_769_902_200_000 },
  deliveryId: "1",
  affiliateId: "acme",
};
const renderings = 100_000;
const ms = fastestMs(() => {
  for (let i = 0; i < renderings; i += 1) renderTemplate(template, input);
});
say(`one rendering of six macros: ${((ms / renderings) * 1_000).toFixed(2)} us`);
