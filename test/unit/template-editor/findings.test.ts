import { describe, expect, test } from "vitest";
import { type Finding, findingsOf, remedyLabel } from "#components/template-editor/findings.ts";
import type { TemplateSource } from "#lib/delivery/template/types.ts";
import { eventType } from "#test/helpers/postback-cases.ts";

const page = "https://t.test/p";
const get = (url: string): TemplateSource => ({ method: "GET", url, body: null, contentType: null });
const find = (source: TemplateSource, type = "conversion.approved") =>
  findingsOf(source, { eventTypes: [eventType(type)], secretNames: [] });

test("a sound template comes back as it is kept, without marks", () => {
  const found = find(get("https://T.test/p?c={click_id}"));
  expect(found.checked?.url).toBe(`${page}?c={click_id}`);
  expect(found.url).toEqual({ findings: [], translation: null, marks: [] });
});

test("an unknown macro is marked where it stands", () => {
  const { checked, url } = find(get(`${page}?c={cid}`));
  expect(checked).toBeNull();
  expect(url.marks).toEqual([{ at: 19, length: 5, look: "fault" }]);
  expect(url.findings.map(remedyLabel)).toEqual(["Use {click_id}"]);
});

test("a literal token is a warning, which keeps nothing from being saved", () => {
  const { checked, url } = find(get(`${page}?c={click_id}&token=abc`));
  expect(checked).not.toBeNull();
  expect(url.marks).toEqual([{ at: 36, length: 3, look: "warning" }]);
  expect(url.findings.map(remedyLabel)).toEqual(["Keep it as {secret.token}"]);
});

describe("what is written for another tracker is one translation", () => {
  test.each([
    [`${page}?cid=#s2#&payout=#price#`, `${page}?cid={sub2}&payout={payout}`, 2],
    [`${page}?c={{clickid}}&amp;p=[PAYOUT]`, `${page}?c={click_id}&p={payout}`, 3],
  ])("%s", (pasted, translated, count) => {
    const { url } = find(get(pasted));
    expect(url.translation?.text).toBe(translated);
    expect(url.translation?.replaced).toHaveLength(count);
    expect(url.findings).toEqual([]);
    expect(url.marks.map(({ at, length }) => pasted.slice(at, at + length)).sort()).toEqual(
      url.translation?.replaced.map(({ from }) => from).sort(),
    );
  });

  test("a # that is no macro is a fault of its own place", () => {
    const { url } = find(get(`${page}?c={click_id}#top`));
    expect(url.translation).toBeNull();
    expect(url.findings.map(remedyLabel)).toEqual(["Use %23"]);
  });
});

test("faults of the body belong to the body", () => {
  const found = find({
    method: "POST",
    url: page,
    body: "c={cid}",
    contentType: "application/x-www-form-urlencoded",
  });
  expect(found.url.findings).toEqual([]);
  expect(found.body.findings.map(remedyLabel)).toEqual(["Use {click_id}"]);
});

const finding = (given: Partial<Finding>): Finding =>
  ({
    code: "template_syntax",
    part: "url",
    at: 0,
    length: 1,
    message: "",
    suggestion: "x",
    ...given,
  }) as Finding;

test.each([
  [{ suggestion: null }, null],
  [{ suggestion: "" }, "Take it out"],
  [{ suggestion: "&status={status}", length: 0 }, "Add &status={status}"],
  [{ suggestion: "{secret.token}", code: "literal_secret" as const }, "Keep it as {secret.token}"],
  [{ suggestion: "y".repeat(80) }, `Use ${"y".repeat(60)}…`],
])("%o: the button says %s", (given, label) => {
  expect(remedyLabel(finding(given))).toBe(label);
});
