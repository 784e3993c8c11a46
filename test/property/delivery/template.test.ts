import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { signUrl } from "#lib/delivery/signature.ts";
import { checkTemplate } from "#lib/delivery/template/check.ts";
import { compileTemplate, renderTemplate, traceTemplate } from "#lib/delivery/template/render.ts";
import { fillSecrets, macroNamesOf, secretNamesOf } from "#lib/delivery/template/secrets.ts";
import { translateTemplate } from "#lib/delivery/template/translate.ts";
import type { TemplateSource } from "#lib/delivery/template/types.ts";
import { eventType, startingFields } from "#test/helpers/postback-cases.ts";

const names = startingFields.map(({ name }) => name);
const context = { eventTypes: [eventType("ftd")], secretNames: ["token"] };

/** Text in which everything that means something to a URL, a form, JSON, a template or a tracker is frequent. */
const mark = fc.constantFrom(
  ..."{}[]#%$&|:/?\\.'\"\t\n ()=,".split(""),
  ...[
    "{sub1}",
    "{payout}",
    "{click_id|x}",
    "{secret.token}",
    "{secret.",
    "token}",
    "{{",
    "}}",
    "${",
    "&amp;",
  ],
  ...[
    "..",
    "%2e",
    "\\u007b",
    "\ud800",
    "é",
    "\u0000",
    "sub1",
    "payout",
    "map(",
    "a=1",
    "tz(UTC)",
    "date",
    "20",
  ],
);
const odd = fc.array(fc.oneof({ weight: 4, arbitrary: mark }, fc.string({ unit: "binary", maxLength: 3 })), {
  maxLength: 20,
});
const oddText = odd.map((parts) => parts.join(""));

const functions = fc.constantFrom("", ":lower", ":upper:md5", ":sha256");
const fallback = fc.constantFrom("", "|none", "|a b%", "|", "|..", "|é'");
const macro = fc.oneof(
  fc
    .tuple(fc.constantFrom("sub1", "sub2", "click_id", "status", "event_id"), functions, fallback)
    .map((parts) => `{${parts.join("")}}`),
  fc.constantFrom("{occurred_at:tz(Europe/Malta):date}", "{timestamp:tz(UTC)}", "{secret.token}", "{payout}"),
);
const literal = fc.string({
  unit: fc.constantFrom(..."abcZ019-._~!*();:@+,=%[]|".split(""), "%20", "%7B", "..", "a&b"),
  maxLength: 6,
});
const pieces = fc.array(fc.oneof(macro, literal), { maxLength: 6 }).map((parts) => parts.join(""));
const url = fc
  .tuple(fc.array(pieces, { maxLength: 4 }), fc.option(pieces))
  .map(([path, query]) => `https://t.example/${path.join("/")}${query === null ? "" : `?${query}`}`);
const jsonBody = fc
  .array(
    fc.tuple(
      pieces,
      fc.oneof(
        pieces.map((text) => `"${text}"`),
        fc.constantFrom("{payout}", "{}", "[1]"),
      ),
    ),
  )
  .map((members) => `{${members.map(([key, value]) => `"${key}":${value}`).join(",")}}`);

const source: fc.Arbitrary<TemplateSource> = fc.oneof(
  url.map((text) => ({ method: "GET" as const, url: text, body: null, contentType: null })),
  fc.tuple(url, jsonBody).map(([text, body]) => ({
    method: "POST" as const,
    url: text,
    body,
    contentType: "application/json" as const,
  })),
  fc.tuple(url, pieces).map(([text, body]) => ({
    method: "POST" as const,
    url: text,
    body,
    contentType: "application/x-www-form-urlencoded" as const,
  })),
);
const oddSource: fc.Arbitrary<TemplateSource> = fc.record({
  method: fc.constantFrom("GET" as const, "POST" as const),
  url: fc.oneof(
    oddText,
    oddText.map((text) => `https://t.example/${text}`),
  ),
  body: fc.option(
    fc.oneof(
      oddText,
      oddText.map((text) => `{"a":"${text}"}`),
    ),
  ),
  contentType: fc.option(
    fc.constantFrom("application/json" as const, "application/x-www-form-urlencoded" as const),
  ),
});

const value = fc.oneof(
  oddText,
  fc.string({ unit: "grapheme" }),
  fc.constantFrom("..", ".", "/", "12.50", "-1", "", "}", "secret.token}", "{secret.token}", "ret.token}"),
);
const input = fc
  .record({
    values: fc.dictionary(fc.constantFrom("sub1", "sub2", "click_id", "status", "payout"), value),
    occurredAtMs: fc.integer({ min: 0, max: 4_102_444_800_000 }),
  })
  .map(({ values, occurredAtMs }) => ({
    values: new Map(Object.entries(values)),
    event: { id: "evt-1", type: "ftd", occurredAtMs },
    deliveryId: "1",
    affiliateId: "acme",
  }));
const token = new Map([["token", "t{secret.token}k"]]);

/** The template as it is kept, or null where it is refused. */
function accepted(given: TemplateSource): TemplateSource | null {
  const result = checkTemplate(given, context);
  return result.ok ? result.source : null;
}

describe("whatever is written", () => {
  test("the check never throws, says something, and every offer lies within the text", () => {
    fc.assert(
      fc.property(fc.oneof(source, oddSource), (given) => {
        const result = checkTemplate(given, context);
        if (result.ok) return;
        expect(result.faults.length).toBeGreaterThan(0);
        for (const { part, at, length, message } of result.faults) {
          const text = part === "url" ? given.url : (given.body ?? "");
          expect(message).not.toBe("");
          expect(at >= 0 && length >= 0 && at + length <= text.length).toBe(true);
        }
      }),
      { numRuns: 600 },
    );
  });

  test("compiling, rendering and naming never throw, not even for what the check refuses", () => {
    fc.assert(
      fc.property(oddSource, input, (given, event) => {
        renderTemplate(compileTemplate(given), event);
        traceTemplate(compileTemplate(given), event);
        macroNamesOf(given);
        secretNamesOf(given);
      }),
      { numRuns: 400 },
    );
  });

  test("a translation has nothing more to translate", () => {
    let translated = 0;
    fc.assert(
      fc.property(oddText, (text) => {
        const result = translateTemplate(text, names);
        if (!result) return;
        translated += 1;
        expect(translateTemplate(result.text, names)).toBeNull();
      }),
      { numRuns: 1_000 },
    );
    expect(translated).toBeGreaterThan(20);
  });
});

describe("what the check accepts", () => {
  test("is kept as it is when it is checked again", () => {
    fc.assert(
      fc.property(fc.oneof(source, oddSource), (given) => {
        const kept = accepted(given);
        if (kept) expect(accepted(kept)).toEqual(kept);
      }),
      { numRuns: 400 },
    );
  });

  test("renders to a URL that the parser leaves alone, and to valid JSON; the trace adds up to it", () => {
    let rendered = 0;
    fc.assert(
      fc.property(fc.oneof(source, oddSource), input, (given, event) => {
        const kept = accepted(given);
        if (!kept) return;
        const template = compileTemplate(kept);
        const result = renderTemplate(template, event);
        if (result.kind !== "rendered") return;
        rendered += 1;
        const trace = traceTemplate(template, event);
        expect(trace.url.map(({ text }) => text).join("")).toBe(result.url);
        expect(trace.body?.map(({ text }) => text).join("") ?? null).toBe(result.body);
        const sent = fillSecrets({ ...result, contentType: kept.contentType }, token);
        if (sent.kind !== "filled") throw new Error(sent.reason);
        expect(new URL(sent.url).href).toBe(sent.url);
        const signed = signUrl(sent.url, Buffer.from("key"));
        expect(new URL(signed).href).toBe(signed);
        if (kept.contentType === "application/json") JSON.parse(sent.body ?? "");
      }),
      { numRuns: 600 },
    );
    expect(rendered).toBeGreaterThan(60);
  });

  test("comes out as it is where it has no macros", () => {
    const plain = fc.array(literal, { maxLength: 8 }).map((parts) => parts.join(""));
    let rendered = 0;
    fc.assert(
      fc.property(plain, plain, input, (path, body, event) => {
        const given = { method: "POST", url: `https://t.example/${path}`, body } as const;
        for (const contentType of ["application/json", "application/x-www-form-urlencoded"] as const) {
          const text = contentType === "application/json" ? JSON.stringify({ [body]: {} }) : body;
          const kept = accepted({ ...given, body: text, contentType });
          if (!kept) continue;
          rendered += 1;
          const result = renderTemplate(compileTemplate(kept), event);
          expect(result).toEqual({ kind: "rendered", url: given.url, body: text, warnings: [] });
          expect(fillSecrets({ url: given.url, body: text, contentType }, token)).toMatchObject({
            url: given.url,
            body: text,
          });
        }
      }),
      { numRuns: 150 },
    );
    expect(rendered).toBeGreaterThan(60);
  });

  test("holds no secret's macro but those of the template, whatever the values are", () => {
    const macros = (text: string | null) => text?.match(/\{secret\.[A-Za-z0-9_-]+\}/g) ?? [];
    fc.assert(
      fc.property(fc.oneof(source, oddSource), input, (given, event) => {
        const kept = accepted(given);
        const result = kept && renderTemplate(compileTemplate(kept), event);
        if (!kept || result?.kind !== "rendered") return;
        expect(macros(result.url)).toEqual(macros(kept.url));
        expect(macros(result.body)).toEqual(macros(kept.body));
      }),
      { numRuns: 1_000 },
    );
  });
});

test("no reserved character ever comes from a value", () => {
  fc.assert(
    fc.property(value, (text) => {
      const template = (body: string | null, contentType: TemplateSource["contentType"]): TemplateSource => ({
        method: "POST",
        url: "https://t.example/a{sub1}?a={sub1}",
        body,
        contentType,
      });
      const event = {
        values: new Map([["sub1", text]]),
        event: { id: "1", type: "ftd", occurredAtMs: 0 },
        deliveryId: "1",
        affiliateId: "acme",
      };
      const inUrl = traceTemplate(compileTemplate(template(null, null)), event);
      for (const piece of inUrl.url)
        if (piece.from) expect(piece.text).toMatch(/^(?:[\w\-.~]|%[0-9A-F]{2})*$/);
      const query = new URL(inUrl.url.map((piece) => piece.text).join("")).search;
      expect(decodeURIComponent(query)).toBe(`?a=${text.toWellFormed()}`);

      const form = traceTemplate(
        compileTemplate(template("a={sub1}", "application/x-www-form-urlencoded")),
        event,
      );
      expect(form.body?.[1]?.text).toBe(new URLSearchParams({ a: text }).toString().slice(2));

      const json = renderTemplate(compileTemplate(template('{"a":"{sub1}"}', "application/json")), event);
      if (json.kind === "rendered") expect(JSON.parse(json.body ?? "")).toEqual({ a: text.toWellFormed() });
    }),
    { numRuns: 400 },
  );
});
