import { describe, expect, test } from "vitest";
import { fillSecrets, macroNamesOf, secretNamesOf } from "#lib/delivery/template/secrets.ts";
import type { TemplateSource } from "#lib/delivery/template/types.ts";

const page = "https://t.example/p";
const secrets = new Map([
  ["token", 'a b"{secret.other}'],
  ["dots", ".."],
  ["empty", ""],
  ["__proto__", "x"],
]);
const fill = (url: string, body: string | null = null, contentType: TemplateSource["contentType"] = null) =>
  fillSecrets({ url, body, contentType }, secrets);

describe("secrets go in at send, encoded for where they stand", () => {
  const encoded = "a%20b%22%7Bsecret.other%7D";

  test.each([
    [`${page}?a={secret.token}&b={secret.token}`, `${page}?a=${encoded}&b=${encoded}`],
    [`${page}/{secret.token}/x?a=1`, `${page}/${encoded}/x?a=1`],
    [`${page}?a={secret.empty}&b={secret.dots}&c={secret.__proto__}`, `${page}?a=&b=..&c=x`],
    [`${page}/a{secret.empty}`, `${page}/a`],
    [page, page],
  ])("%s", (url, expected) => {
    expect(fill(url)).toEqual({ kind: "filled", url: expected, body: null });
  });

  test("in bodies", () => {
    expect(fill(page, "a={secret.token}", "application/x-www-form-urlencoded")).toMatchObject({
      body: "a=a+b%22%7Bsecret.other%7D",
    });
    expect(fill(page, '{"a":"{secret.token}","b":"{secret. x}{}"}', "application/json")).toMatchObject({
      body: '{"a":"a b\\"\\u007bsecret.other}","b":"{secret. x}{}"}',
    });
  });
});

test.each([
  [`${page}?a={secret.token}&b={secret.gone}`, { reason: "unknown_secret", name: "gone" }],
  [`${page}?a={secret.constructor}`, { reason: "unknown_secret", name: "constructor" }],
  [`${page}/{secret.empty}/`, { reason: "unsafe_path_value" }],
  [`${page}/{secret.dots}`, { reason: "unsafe_path_value" }],
  [`${page}?${"a".repeat(8_150)}{secret.token}`, { reason: "url_too_long" }],
])("what cannot be sent is said: %s", (url, expected) => {
  expect(fill(url)).toEqual({ kind: "failed", ...expected });
});

test("a body with an unknown secret, or one that grows too long, is not sent", () => {
  expect(fill(page, "{secret.gone}", "application/x-www-form-urlencoded")).toEqual({
    kind: "failed",
    reason: "unknown_secret",
    name: "gone",
  });
  expect(fill(page, `${"a".repeat(1_048_560)}{secret.token}`, "application/x-www-form-urlencoded")).toEqual({
    kind: "failed",
    reason: "body_too_long",
  });
});

test("the names that a template uses", () => {
  const source: TemplateSource = {
    method: "POST",
    url: `${page}/{sub1}?a={sub1:lower}&b={secret.token}&c={timestamp}&d={occurred_at:date}`,
    body: '{"p":{payout},"o":{},"s":"{secret.other}{secret.token}"}',
    contentType: "application/json",
  };
  expect(macroNamesOf(source)).toEqual(["sub1", "occurred_at", "payout"]);
  expect(secretNamesOf(source)).toEqual(["token", "other"]);
  const broken: TemplateSource = { method: "GET", url: "{{", body: null, contentType: null };
  expect([macroNamesOf(broken), secretNamesOf(broken)]).toEqual([[], []]);
});
