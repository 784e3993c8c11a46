import { describe, expect, test } from "vitest";
import { checkTemplate } from "#lib/delivery/template/check.ts";
import { compileTemplate, renderTemplate } from "#lib/delivery/template/render.ts";
import type { TemplateSource } from "#lib/delivery/template/types.ts";
import { placeholderHost, trackerPresets } from "#lib/endpoints/tracker-presets.ts";
import { eventType } from "#test/helpers/postback-cases.ts";

const eventTypes = [
  "registration",
  "conversion.pending",
  "conversion.approved",
  "conversion.declined",
  "conversion.reversed",
].map((name) => eventType(name));

const approved = eventType("conversion.approved");
const byName = trackerPresets.map((preset) => [preset.name, preset] as const);
const filledIn = (url: string): TemplateSource => ({
  method: "GET",
  url: url.replace(placeholderHost, "t.partner.test"),
  body: null,
  contentType: null,
});

/** As it would be sent, filled in. */
function sent(url: string, values: Record<string, string>): string {
  const checked = checkTemplate(filledIn(url), { eventTypes: [approved], secretNames: [] });
  if (!checked.ok) throw new Error("not a template");
  const result = renderTemplate(compileTemplate(checked.source), {
    values: new Map(Object.entries(values)),
    event: { id: "e", type: "conversion.approved", occurredAtMs: 0 },
    deliveryId: "1",
    affiliateId: "a",
  });
  return result.kind === "rendered" ? result.url : result.reason;
}

describe.each(byName)("%s", (_, { url, hints }) => {
  test("has nothing in it that the starting catalogue does not", () => {
    const checked = checkTemplate(filledIn(url), { eventTypes: [approved], secretNames: [] });
    expect(checked).toMatchObject({ ok: true, warnings: [] });
  });

  test("sends the click id, and says which host is to be put in", () => {
    expect(url).toContain(`://${placeholderHost}/`);
    expect(sent(url, { click_id: "a&b" })).toMatch(/^https:\/\/t\.partner\.test\/.*[?&]\w+=a%26b(&|$)/);
    expect(hints[0]).toContain(placeholderHost);
  });
});

test.each([
  ["approved", "sale"],
  ["pending", "lead"],
  ["declined", "rejected"],
  ["reversed", "rejected"],
  [undefined, ""],
])("%s is %s in Keitaro's words", (status, theirs) => {
  const keitaro = trackerPresets.find(({ id }) => id === "keitaro");
  expect(sent(keitaro?.url ?? "", { click_id: "c", ...(status ? { status } : {}) })).toContain(
    `&status=${theirs}&`,
  );
});

test("those that know statuses are fit for conversions that are not approved", () => {
  const withStatus = trackerPresets.filter(({ url }) => url.includes("{status"));
  expect(withStatus.length).toBeGreaterThan(3);
  for (const { url } of withStatus) {
    expect(checkTemplate(filledIn(url), { eventTypes, secretNames: [] })).toMatchObject({ ok: true });
  }
});
