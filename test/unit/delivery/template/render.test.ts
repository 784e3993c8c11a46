import { describe, expect, test } from "vitest";
import {
  compileTemplate,
  type RenderInput,
  renderTemplate,
  traceTemplate,
} from "#lib/delivery/template/render.ts";
import type { TemplateSource } from "#lib/delivery/template/types.ts";

const page = "https://t.example/p";
const get = (url: string): TemplateSource => ({ method: "GET", url, body: null, contentType: null });
const post = (body: string, contentType: TemplateSource["contentType"]): TemplateSource => ({
  method: "POST",
  url: page,
  body,
  contentType,
});
const json = (body: string) => post(body, "application/json");
const form = (body: string) => post(body, "application/x-www-form-urlencoded");

function input(values: Record<string, string> = {}): RenderInput {
  return {
    values: new Map(Object.entries(values)),
    event: { id: "evt-1", type: "ftd", occurredAtMs: Date.parse("2026-01-31T23:30:00.250Z") },
    deliveryId: "42",
    affiliateId: "acme",
  };
}
function render(source: TemplateSource, values?: Record<string, string>) {
  return renderTemplate(compileTemplate(source), input(values));
}
function query(macros: string, values?: Record<string, string>): string {
  const result = render(get(`${page}?${macros}`), values);
  return result.kind === "rendered" ? result.url.slice(page.length + 1) : result.reason;
}
function body(source: TemplateSource, values?: Record<string, string>): string | null {
  const result = render(source, values);
  return result.kind === "rendered" ? result.body : result.reason;
}

test.each([
  ["{event_id},{event_type},{delivery_id},{affiliate_id}", "evt-1,ftd,42,acme"],
  ["{timestamp},{timestamp_ms}", "1769902200,1769902200250"],
  ["{timestamp_iso},{occurred_at}", "2026-01-31T23%3A30%3A00.250Z,2026-01-31T23%3A30%3A00.250Z"],
])("%s are there for every event, whatever its data say", (macros, expected) => {
  expect(query(macros, { occurred_at: "1999-01-01T00:00:00Z", event_id: "x", timestamp: "y" })).toBe(
    expected,
  );
});

describe("functions", () => {
  test.each([
    ["{a:lower}", "\u00c4Bc", "%C3%A4bc"],
    ["{a:upper}", "stra\u00dfe", "STRASSE"],
    ["{a:md5}", "abc", "900150983cd24fb0d6963f7d28e17f72"],
    ["{a:sha256}", "abc", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"],
    ["{a:md5}", "\u00e9", "66ddcd97cfdeabb2f6fb8a999b4bc76f"],
    ["{a:upper:md5:upper}", "abc", "902FBDD2B1DF0C4F70B4A5D23525E932"],
    ["{a:map(x=1, y = b c ,z=)}", "y", "b%20c"],
    ["{a:map(x=1,z=)}", "z", ""],
    ["{a:map(x=a=b)}", "x", "a%3Db"],
    ["{a:lower:map(x=1)}", "X", "1"],
    ["{a:map(toString=1)}", "constructor", "unmapped_value"],
    ["{a:map(x=1)|2}", "y", "unmapped_value"],
    ["{a:date}", "2026-02-28T23:30:00-05:00", "2026-03-01"],
    ["{a:date}", "2026-02-28", "2026-02-28"],
    ["{a:tz(Asia/Kolkata)}", "2026-01-31 10:00", "2026-01-31T15%3A30%3A00.000%2B05%3A30"],
    ["{a:tz(America/New_York)}", "2026-07-01T00:00:00.123456Z", "2026-06-30T20%3A00%3A00.123-04%3A00"],
    ["{a:tz(UTC)}", "2026-01-31T10:00:00+0200", "2026-01-31T08%3A00%3A00.000%2B00%3A00"],
    ["{a:tz(Europe/Malta):date:lower}", "2026-01-31T23:00:00Z", "2026-02-01"],
    ["{a:tz(Africa/Monrovia)}", "1970-01-01T01:00:00+01", "1969-12-31T23%3A16%3A00.000-00%3A44"],
    ["{a:tz(UTC)}", "0001-01-01T00:00:00Z", "0001-01-01T00%3A00%3A00.000%2B00%3A00"],
    ["{a:date}", "2026-02-31T00:00:00Z", "unmapped_value"],
    ["{a:date}", "2026-13-01T00:00:00Z", "unmapped_value"],
    ["{a:date}", "2026-01-01T25:00:00Z", "unmapped_value"],
    ["{a:tz(UTC)}", "yesterday", "unmapped_value"],
  ])("%s of %s: %s", (macro, a, expected) => {
    expect(query(macro, { a })).toBe(expected);
  });

  test.each([
    ["{timestamp:date}", "2026-01-31"],
    ["{timestamp_ms:tz(Europe/Malta):date}", "2026-02-01"],
    ["{occurred_at:tz(Europe/Malta)}", "2026-02-01T00%3A30%3A00.250%2B01%3A00"],
    ["{timestamp:md5}", "7cdb449e459dcafa425b00fe1ef3a2b1"],
  ])("%s of the event's time: %s", (macro, expected) => {
    expect(query(macro)).toBe(expected);
  });

  test("pass a missing value over; a default is not processed", () => {
    expect(query("{a:upper},{a:map(x=1)},{a:upper|n o},{a:date|}", { a: "" })).toBe(",,n%20o,");
  });
});

describe("a click id that is missing", () => {
  test.each([
    [get(`${page}?a={click_id}`), "skipped"],
    [get(`${page}/{click_id:lower}`), "skipped"],
    [form("a={click_id}"), "skipped"],
    [get(`${page}?a={click_id|x}&b={click_id}`), "skipped"],
    [get(`${page}?a={click_id}&b={a:map(x=1)}`), "skipped"],
    [get(`${page}?a={click_id|}`), "rendered"],
    [get(page), "rendered"],
  ])("%j: %s", (source, kind) => {
    expect(render(source, { a: "y", click_id: "" })).toMatchObject({ kind });
  });
});

describe("a path segment that holds a macro", () => {
  test.each([
    ["/{a}/x", "", false],
    ["/{a}", "", false],
    ["/{a}?b=1", ".", false],
    ["/.{a}", ".", false],
    ["/%2e{a}/", ".", false],
    ["/{a}{b}/", ".", false],
    ["/{a}{b}", "%2e", true],
    ["/{a}.json", "", true],
    ["/x{a}", "", true],
    ["/{a}/{a|x}", "...", true],
    ["//{a}//", "/", true],
    ["/?{a}", "", true],
    ["/?x=/{a}/", "..", true],
  ])("%s with %j: %s", (path, a, isSafe) => {
    const result = render(get(`https://t.example${path}`), { a });
    if (isSafe) expect(result.kind).toBe("rendered");
    else expect(result).toEqual({ kind: "failed", reason: "unsafe_path_value" });
  });
});

describe("bodies", () => {
  test.each([
    [
      '{"a":"{a}"}',
      'x"\\\n\u0001\u2028{secret.token}',
      '{"a":"x\\"\\\\\\n\\u0001\u2028\\u007bsecret.token}"}',
    ],
    ['{"a":"{b}","c":"{b|q\'}"}', "", '{"a":"","c":"q\'"}'],
    ['{"a":{a}}', "12.50", '{"a":12.50}'],
    ['{"a":{a}}', "-1e400", '{"a":-1e400}'],
    ['{"a":{a}}', "true", '{"a":true}'],
    ['{"a":{a}}', "", '{"a":null}'],
    ['{"a":{a|0}}', "", '{"a":0}'],
    ['{"a":{a}}', "007", '{"a":"007"}'],
    ['{"a":{a}}', '1,"b":"{', '{"a":"1,\\"b\\":\\"\\u007b"}'],
    ['{"a":"{ {} ","o":{}}', "", '{"a":"{ {} ","o":{}}'],
  ])("JSON %s with %j", (template, a, expected) => {
    const made = body(json(template), { a });
    expect(made).toBe(expected);
    expect(() => JSON.parse(made ?? "")).not.toThrow();
  });

  test("forms are encoded as a browser does", () => {
    const a = "a b&c=d+e\u00e9~*-._!'()%{";
    expect(body(form("x=a b&a={a}&b={b|c d}"), { a })).toBe(
      `x=a b&${new URLSearchParams({ a, b: "c d" }).toString()}`,
    );
  });
});

describe("lengths", () => {
  test("a URL may have 8,192 bytes", () => {
    const url = `${page}?a={a}`;
    const room = 8_192 - page.length - 3;
    expect(render(get(url), { a: "a".repeat(room) }).kind).toBe("rendered");
    expect(render(get(url), { a: "a".repeat(room + 1) })).toEqual({ kind: "failed", reason: "url_too_long" });
    expect(query("a={a}", { a: "\u00e9".repeat(1_400) })).toBe("url_too_long");
  });

  test("a body may have 1,048,576 characters, and a huge value in many places costs no more than one", () => {
    expect(body(form("{a}"), { a: "a".repeat(1_048_576) })).toHaveLength(1_048_576);
    expect(body(form("{a}".repeat(10_000)), { a: "a".repeat(500_000) })).toBe("body_too_long");
  });

  test("functions that make short of long read so much and no more", () => {
    const huge = { a: "a".repeat(1_048_576) };
    expect(body(form("{a:md5}".repeat(3)), huge)).toHaveLength(3 * 32);
    expect(body(form("{a:md5}".repeat(9_000)), huge)).toBe("body_too_long");
    expect(body(form("{a:lower:lower:lower:upper:md5}"), huge)).toBe("body_too_long");
    expect(query("a={a:md5}&".repeat(500), huge)).toBe("url_too_long");
  });
});

test("half a character in a value does no harm", () => {
  expect(query("a={a}", { a: "\ud800x" })).toBe("a=%EF%BF%BDx");
  expect(body(json('{"a":"{a}"}'), { a: "\ud800\n" })).toBe('{"a":"\ufffd\\n"}');
});

test("a value that looks encoded gets a warning that names the macro and not the value", () => {
  const result = render(get(`${page}?a={a:upper}&b={b|%20}`), { a: "x%2fy" });
  expect(result).toMatchObject({
    kind: "rendered",
    warnings: [{ code: "already_encoded", part: "url", at: 22, length: 9 }],
  });
  expect(JSON.stringify(result.kind === "rendered" && result.warnings)).not.toContain("2f");
  expect(render(json('{"a":"{a}"}'), { a: "%20" })).toMatchObject({ warnings: [] });
  expect(render(form("{a}"), { a: "%20" })).toMatchObject({ warnings: [{ part: "body" }] });
});

describe("the trace", () => {
  test("leads each value back to its macro", () => {
    const source = {
      ...form("c={a:upper|x}"),
      url: `${page}?a={a:upper}&b={b|n o}&t={secret.token}&e={b}`,
    };
    const trace = traceTemplate(compileTemplate(source), input({ a: "a b" }));
    const from = { name: "b", value: "n o", usedDefault: true };
    expect(trace.url).toEqual([
      { text: `${page}?a=`, from: null },
      { text: "A%20B", from: { macro: "{a:upper}", name: "a", value: "A B", usedDefault: false } },
      { text: "&b=", from: null },
      { text: "n%20o", from: { macro: "{b|n o}", ...from } },
      { text: "&t=", from: null },
      {
        text: "{secret.token}",
        from: { macro: "{secret.token}", name: "secret.token", value: null, usedDefault: false },
      },
      { text: "&e=", from: null },
      { text: "", from: { macro: "{b}", name: "b", value: null, usedDefault: false } },
    ]);
    const text = (pieces: readonly { text: string }[]) => pieces.map((piece) => piece.text).join("");
    expect(trace.result).toEqual({
      kind: "rendered",
      url: text(trace.url),
      body: text(trace.body ?? []),
      warnings: [],
    });
  });

  test("is there for what is not sent", () => {
    const trace = traceTemplate(
      compileTemplate(get(`${page}?a={click_id}&b={a:map(x=1)}`)),
      input({ a: "y" }),
    );
    expect(trace.result).toEqual({ kind: "skipped", reason: "missing_click_id" });
    expect(trace.url.map(({ text }) => text)).toEqual([`${page}?a=`, "", "&b=", ""]);
    expect(trace.body).toBeNull();
  });
});
