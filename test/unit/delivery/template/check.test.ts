import { describe, expect, test } from "vitest";
import { checkTemplate, needsStatusMacro } from "#lib/delivery/template/check.ts";
import type { TemplateEventType, TemplateFault, TemplateSource } from "#lib/delivery/template/types.ts";
import { eventType, startingFields } from "#test/helpers/postback-cases.ts";

const fields = [
  ...startingFields,
  { name: "deposit_number", kind: "integer" as const },
  { name: "is_first", kind: "boolean" as const },
  { name: "paid_at", kind: "timestamp" as const },
];
const eventTypes = [
  eventType("conversion.approved", fields),
  eventType(
    "ftd",
    fields.filter(({ name }) => name !== "goal"),
  ),
];
const page = "https://t.example/p";

function get(url: string): TemplateSource {
  return { method: "GET", url, body: null, contentType: null };
}
function post(body: string, contentType: TemplateSource["contentType"]): TemplateSource {
  return { method: "POST", url: page, body, contentType };
}
const json = (body: string) => post(body, "application/json");
const form = (body: string) => post(body, "application/x-www-form-urlencoded");

function check(source: TemplateSource, types: readonly TemplateEventType[] = eventTypes) {
  return checkTemplate(source, { eventTypes: types, secretNames: ["token"] });
}
function faultsOf(source: TemplateSource, types = eventTypes): TemplateFault[] {
  const result = check(source, types);
  return result.ok ? [] : result.faults;
}
/** The text with what a fault offers in the place it names. */
function corrected(text: string, { at, length, suggestion }: TemplateFault): string {
  return text.slice(0, at) + suggestion + text.slice(at + length);
}

type Row = [source: TemplateSource, code: string, message: RegExp, corrected: string | null];
const rows: Row[] = [
  [get(`${page}?a={cid}`), "unknown_macro", /"cid".*\{click_id\}\?/, `${page}?a={click_id}`],
  [get(`${page}?a={clickId:lower|x}`), "unknown_macro", /Did you mean/, `${page}?a={click_id:lower|x}`],
  [get(`${page}?a={payot}`), "unknown_macro", /"payot".*\{payout\}/, `${page}?a={payout}`],
  [get(`${page}?a={txid}`), "unknown_macro", /\{transaction_id\}/, `${page}?a={transaction_id}`],
  [get(`${page}?a={sum}`), "unknown_macro", /\{payout\}/, `${page}?a={payout}`],
  [get(`${page}?a={s1}`), "unknown_macro", /\{sub1\}/, `${page}?a={sub1}`],
  [get(`${page}?a={aff_sub}`), "unknown_macro", /\{sub1\}/, `${page}?a={sub1}`],
  [get(`${page}?a={aff_sub3}`), "unknown_macro", /\{sub3\}/, `${page}?a={sub3}`],
  [get(`${page}?a={ click_id }`), "unknown_macro", /\{click_id\}/, `${page}?a={click_id}`],
  [get(`${page}?a={constructor}`), "unknown_macro", /no field "constructor"/, null],
  [get(`${page}?a={__proto__}`), "unknown_macro", /no field "__proto__"/, null],
  [get(`${page}?a={toString:lower|x}`), "unknown_macro", /no field "toString"/, null],
  [get(`${page}?a={${"x".repeat(5_000)}}`), "unknown_macro", /x{40}\.\.\."/, null],
  [get(`${page}?a={goal}`), "unknown_macro", /not in ftd.*default/, `${page}?a={goal|}`],
  [get(`${page}?a={secret.tokn}`), "unknown_macro", /no secret "tokn"/, `${page}?a={secret.token}`],
  [get(`${page}?a={secret.payout}`), "unknown_macro", /no secret "payout"/, null],
  [json('{"a":"{clickid}"}'), "unknown_macro", /\{click_id\}/, '{"a":"{click_id}"}'],
  [form("a={clickid}"), "unknown_macro", /\{click_id\}/, "a={click_id}"],
  [get(`${page}?a={}`), "template_syntax", /braces are empty/, null],
  [get(`${page}?a={ }`), "template_syntax", /braces are empty/, null],
  [get(`${page}?a={|x}`), "template_syntax", /no name/, null],
  [get(`${page}?a={sub1`), "template_syntax", /"\{sub1".*nothing closes/, `${page}?a=%7Bsub1`],
  [get(`${page}/{sub1`), "template_syntax", /nothing closes/, `${page}/%7Bsub1`],
  [get(`${page}?a={a{sub1}`), "template_syntax", /"\{a".*nothing closes/, `${page}?a=%7Ba{sub1}`],
  [get(`${page}?a=sub1}`), "template_syntax", /closing brace/, `${page}?a=sub1%7D`],
  [get(`${page}?a={sub1:}`), "template_syntax", /colon without a function/, null],
  [get(`${page}?a={sub1:lowr}`), "template_syntax", /no function "lowr"; there are lower, /, null],
  [get(`${page}?a={sub1:Lower}`), "template_syntax", /lower case: lower/, null],
  [get(`${page}?a={sub1:lower(x)}`), "template_syntax", /lower takes no argument/, null],
  [get(`${page}?a={sub1:lower(x}`), "template_syntax", /parenthesis after lower/, null],
  [get(`${page}?a={sub1:lower()x}`), "template_syntax", /"x" is not expected/, null],
  [get(`${page}?a={sub1${":lower".repeat(9)}}`), "template_syntax", /at most 8 functions/, null],
  [get(`${page}?a={sub1|a\nb}`), "template_syntax", /on one line/, null],
  [get(`${page}?a={status:map}`), "template_syntax", /map needs pairs/, null],
  [get(`${page}?a={status:map( )}`), "template_syntax", /map needs pairs/, null],
  [get(`${page}?a={status:map(a=1,b)}`), "template_syntax", /map needs pairs/, null],
  [get(`${page}?a={status:map(a=1,=2)}`), "template_syntax", /map needs pairs/, null],
  [get(`${page}?a={status:map(a=1,a=2)}`), "template_syntax", /names a twice/, null],
  [get(`${page}?a={sub1:date}`), "template_syntax", /date works on times/, null],
  [get(`${page}?a={sub1:tz(UTC)}`), "template_syntax", /tz works on times/, null],
  [get(`${page}?a={occurred_at:tz}`), "template_syntax", /Europe\/Malta/, null],
  [get(`${page}?a={occurred_at:tz(Mars/Base)}`), "template_syntax", /Europe\/Malta/, null],
  [get(`${page}?a={occurred_at:tz(+02:00)}`), "template_syntax", /Europe\/Malta/, null],
  [get(`${page}?a={occurred_at:lower:date}`), "template_syntax", /come first, or right after tz/, null],
  [get(`${page}?a={occurred_at:date:tz(UTC)}`), "template_syntax", /tz must come first/, null],
  [get(`${page}?a={secret.token|x}`), "template_syntax", /no default/, `${page}?a={secret.token}`],
  [get(`${page}?a={secret.}`), "template_syntax", /1 to 64/, null],
  [get("t.example/p"), "template_syntax", /start with https/, "https://t.example/p"],
  [get("ftp://t.example/p"), "template_syntax", /start with https/, "https://t.example/p"],
  [get(""), "template_syntax", /start with https/, "https://"],
  [get("https:///p"), "template_syntax", /no host/, null],
  [get("https://t.example:99999/"), "template_syntax", /"t.example:99999" is not a valid host/, null],
  [get(`${page}?${"a".repeat(8_192)}`), "template_syntax", /8,212 characters; 8,192 are allowed/, null],
  [json("x".repeat(65_537)), "template_syntax", /65,537 characters; 65,536 are allowed/, null],
  [json('{"a":{click_id}}'), "template_syntax", /quotation marks/, '{"a":"{click_id}"}'],
  [json('{"a":{secret.token}}'), "template_syntax", /quotation marks/, '{"a":"{secret.token}"}'],
  [json('{"a":{payout:md5}}'), "template_syntax", /quotation marks/, '{"a":"{payout:md5}"}'],
  [json('{"a":{payout|none}}'), "template_syntax", /must be a number, true, false or null/, null],
  [json('{"a":1{payout}}'), "template_syntax", /not valid JSON/, null],
  [json('{"a":"\\{sub1}"}'), "template_syntax", /not valid JSON/, null],
  [json("{{payout}:1}"), "template_syntax", /not valid JSON/, null],
  [json('{"a":"{click_id"}'), "template_syntax", /"\{click_id" opens/, '{"a":"{click_id}"}'],
  [json('{"a":"{sub1|a","b":"}"}'), "template_syntax", /nothing closes/, '{"a":"\\u007bsub1|a","b":"}"}'],
  [json('{"a":"{{sub1}"}'), "template_syntax", /nothing closes/, '{"a":"\\u007b{sub1}"}'],
  [json('{"a":"{sec{sub1}"}'), "template_syntax", /nothing closes/, '{"a":"\\u007bsec{sub1}"}'],
  [json('{"a":"\ud800"}'), "template_syntax", /half a character/, null],
  [form("a=\u0000"), "template_syntax", /NUL/, null],
  [post("a", null), "template_syntax", /JSON or a form/, null],
  [{ ...form("a"), method: "GET" }, "template_syntax", /GET request has no body/, ""],
  [get(`${page}?a={{payout}}`), "foreign_syntax", /"\{\{payout\}\}".*\{payout\}/, `${page}?a={payout}`],
  [get(`${page}?a=[SUM]&b=%cid%`), "foreign_syntax", /"\[SUM\]"/, `${page}?a={payout}&b={click_id}`],
  [form("a=#s1#"), "foreign_syntax", /"#s1#"/, "a={sub1}"],
  [json(`{"a":"\${payout}"}`), "foreign_syntax", /\{payout\}/, '{"a":"{payout}"}'],
  [get(`${page}?a=1&amp;b=2`), "html_entity", /HTML for &/, `${page}?a=1&b=2`],
  [get("https://{sub1}.example/"), "macro_in_authority", /before the path/, null],
  [get("https://t.example{sub1}"), "macro_in_authority", /before the path/, null],
  [get("https://t.example:{sub1}/"), "macro_in_authority", /before the path/, null],
  [get("{sub1}"), "macro_in_authority", /before the path/, null],
  [get("ht{sub1}://t.example/"), "macro_in_authority", /before the path/, null],
  [get("https://{secret.token}@t.example/"), "macro_in_authority", /before the path/, null],
  [get("https://me:pw@t.example/"), "userinfo", /secret header/, "https://t.example/"],
  [get(`${page}?a=#s2#`), "fragment", /"#s2#".*\{sub2\}/, `${page}?a={sub2}`],
  [get(`${page}#top`), "fragment", /never sent/, `${page}%23top`],
  [get(`${page}?a='`), "literal_rewritten", /Write %27/, `${page}?a=%27`],
  [get(`${page}/a b`), "literal_rewritten", /Write %20/, `${page}/a%20b`],
  [get(`${page}?a=\t1`), "literal_rewritten", /Write %09/, `${page}?a=%091`],
  [get(`${page}/é"`), "literal_rewritten", /Write %C3%A9%22/, `${page}/%C3%A9%22`],
  [get(`${page}\\a`), "literal_rewritten", /Write %5C/, `${page}%5Ca`],
  [get(`${page}/^`), "literal_rewritten", /Write %5E/, `${page}/%5E`],
  [get(`${page}/a/../b?c=1`), "literal_rewritten", /"\.\."/, `${page}/b?c=1`],
  [get(`${page}/{sub1}/./b`), "literal_rewritten", /"\."/, `${page}/{sub1}/b`],
  [get(`${page}/%2E%2e`), "literal_rewritten", /"%2E%2e"/, "https://t.example/"],
  [get(` ${page}`), "literal_rewritten", /White space/, page],
  [get(`${page}?a=b \n`), "literal_rewritten", /White space/, `${page}?a=b`],
  [get("https://t .example/"), "literal_rewritten", /White space/, "https://t.example/"],
  [get("https:\\\\t.example/"), "literal_rewritten", /Write it out/, "https://t.example/"],
  [get("https:t.example/"), "literal_rewritten", /Write it out/, "https://t.example/"],
];

describe("a fault says what is wrong, where, and what would be right", () => {
  test.each(rows)("%j: %s", (source, code, message, right) => {
    const [fault, ...others] = faultsOf(source);
    if (!fault) throw new Error("the template was accepted");
    expect(others).toEqual([]);
    expect(fault).toMatchObject({ code, message: expect.stringMatching(message) });
    const text = fault.part === "url" ? source.url : (source.body ?? "");
    expect(fault.at + fault.length).toBeLessThanOrEqual(text.length);
    if (right === null) expect(fault.suggestion).toBeNull();
    else expect(corrected(text, fault)).toBe(right);
  });

  test("every fault of a template is named, up to fifty for each part", () => {
    const codes = faultsOf(get(`${page}/a b?c={cid}&d={}`)).map(({ code }) => code);
    expect(codes).toEqual(["template_syntax", "unknown_macro", "literal_rewritten"]);
    expect(faultsOf(get(page + "{x}".repeat(2_000)))).toHaveLength(50);
    expect(faultsOf(form("}".repeat(60_000)))).toHaveLength(50);
    expect(faultsOf(json(`{"a":"${"{zz ".repeat(99)}{{sub1}"}`))).toHaveLength(1);
  });
});

describe("templates that can be saved", () => {
  test.each([
    ["HTTPS://TRK.Example:443", "https://trk.example/"],
    ["https://t.example?a={sub1}", "https://t.example/?a={sub1}"],
    ["http://bücher.example:8443/p", "http://xn--bcher-kva.example:8443/p"],
    ["https://[2001:DB8::1]/p", "https://[2001:db8::1]/p"],
    ["https://t.example//a/?b=%zz&c[ID]=%20off%20&d=\\^`|", null],
    [`${page}?a={sub1|#top}&b={sub2|#s2#}`, null],
    [`${page}/a..b/...?..=/../&e={sub1|, it's "ü"}`, null],
    [`${page}?a={paid_at:tz(europe/malta):date:md5}&b={timestamp:date}`, null],
    [`${page}?a={status:map(approved = 1, pending=a:b|c)}&b={goal|}`, null],
    [`${page}?a={event_id}{event_type}{delivery_id}{affiliate_id}{timestamp_ms}{secret.token}`, null],
  ])("%s", (url, kept) => {
    expect(check(get(url))).toMatchObject({ ok: true, source: { url: kept ?? url }, warnings: [] });
  });

  test.each([
    '{"a":"{click_id}","p":{payout|0},"o":{},"x":[{"y":{deposit_number}}],"b":{is_first}}',
    '{"a":"{ x } {} { {","t":{timestamp},"ms":{timestamp_ms|null}}',
    '{"inner":"{\\"a\\":\\"{sub1}\\"}"}',
    '{"{sub1}":"&amp; 100% [x]"}',
    "{payout}",
  ])("JSON: %s", (body) => {
    expect(check(json(body))).toMatchObject({ ok: true, source: { body }, warnings: [] });
  });

  test("a number may stand alone only where every event type says that it is one", () => {
    const other = eventType("deposit", [{ name: "payout", kind: "string" }]);
    expect(check(json('{"p":{payout}}'), [...eventTypes, other])).toMatchObject({ ok: false });
    expect(check(json('{"p":"{payout}"}'), [...eventTypes, other])).toMatchObject({ ok: true });
  });

  test("a POST without a body has no content type", () => {
    expect(check({ ...json(""), body: null })).toMatchObject({ ok: true, source: { contentType: null } });
  });

  test("any secret passes where their names are not known", () => {
    const source = get(`${page}?a={secret.any}`);
    expect(checkTemplate(source, { eventTypes, secretNames: null }).ok).toBe(true);
  });

  test("ten thousand macros", () => {
    expect(check(form("{sub1}".repeat(10_000))).ok).toBe(true);
  });
});

describe("the status of conversions that are not approved", () => {
  const types = [eventType("conversion.reversed", fields)];

  test.each([
    ["conversion.pending", true],
    ["conversion.declined", true],
    ["conversion.reversed", true],
    ["conversion.approved", false],
    ["ftd", false],
  ])("%s: %s", (name, needed) => {
    expect(needsStatusMacro(["ftd", name])).toBe(needed);
  });

  test.each([
    [get(page), `${page}?status={status}`],
    [get(`${page}?a=1`), `${page}?a=1&status={status}`],
    [form("a=1"), "a=1&status={status}"],
    [json("{}"), `${page}?status={status}`],
    [get(`${page}?a={status|approved}`), `${page}?a={status|approved}&status={status}`],
  ])("must be in the template: %j", (source, right) => {
    const [fault, ...others] = faultsOf(source, types);
    if (!fault) throw new Error("the template was accepted");
    expect(others).toEqual([]);
    expect(fault).toMatchObject({
      code: "status_macro_required",
      message: expect.stringContaining("{status}"),
    });
    expect(corrected(fault.part === "url" ? source.url : (source.body ?? ""), fault)).toBe(right);
  });

  test.each([get(`${page}?a={status:map(reversed=0)}`), form("a={status}"), json('{"a":"{status:upper}"}')])(
    "is: %j",
    (source) => {
      expect(check(source, types).ok).toBe(true);
    },
  );
});

describe("a literal that looks like a secret gets a warning", () => {
  test.each([
    [get(`${page}?token=abc&a={sub1}`), `${page}?token={secret.token}&a={sub1}`],
    [get(`${page}?a={sub1}&Api-Key=abc`), `${page}?a={sub1}&Api-Key={secret.api-key}`],
    [get(`${page}?apikey=abc`), `${page}?apikey={secret.apikey}`],
    [get(`${page}?clientSecret=abc`), `${page}?clientSecret={secret.clientsecret}`],
    [get("https://t.example/bot123:ABC-d_e/send"), "https://t.example/bot{secret.bot_token}/send"],
    [form("security_token=abc&a=1"), "security_token={secret.security_token}&a=1"],
    [json('{"key" : "abc"}'), '{"key" : "{secret.key}"}'],
  ])("%j", (source, right) => {
    const result = check(source);
    if (!result.ok) throw new Error("the template was refused");
    const [warning, ...others] = result.warnings;
    if (!warning) throw new Error("there was no warning");
    expect(others).toEqual([]);
    expect(warning).toMatchObject({ code: "literal_secret", message: expect.not.stringContaining("abc") });
    const text = warning.part === "url" ? source.url : (source.body ?? "");
    expect(text.slice(0, warning.at) + warning.suggestion + text.slice(warning.at + warning.length)).toBe(
      right,
    );
  });

  test.each([
    get(`${page}?token={secret.token}&key={sub1}&secret=&apikey=a{sub1}&monkey=1&tokens=2`),
    get("https://t.example/bots/robot1:a/bot"),
    get(`${page}?a={sub1}token=a&{sub2}key=b`),
    json('{"key":"{secret.token}","monkey":"abc","key ":1}'),
  ])("not so: %j", (source) => {
    expect(check(source)).toMatchObject({ ok: true, warnings: [] });
  });

  test("each of several", () => {
    const result = check(get(`${page}?token=a&key=b&x=1&secret=c`));
    expect(result.ok && result.warnings.map(({ at }) => at)).toEqual([26, 32, 45]);
  });

  test("as does a default that is encoded already", () => {
    expect(check(get(`${page}?a={sub1|a%20b}`))).toMatchObject({
      ok: true,
      warnings: [{ code: "already_encoded", at: 22, length: 12 }],
    });
    expect(check(json('{"a":"{sub1|a%20b}"}'))).toMatchObject({ ok: true, warnings: [] });
  });
});
