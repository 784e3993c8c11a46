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

const byName = trackerPresets.map((preset) => [preset.name, preset] as const);
const filledIn = (url: string): TemplateSource => ({
  method: "GET",
  url: url.replace(placeholderHost, "t.partner.test"),
  body: null,
  contentType: null,
});

describe.each(byName)("%s", (_, preset) => {
  const approved = eventTypes.filter(({ name }) => name === "conversion.approved");
  const checked = checkTemplate(filledIn(preset.url), { eventTypes: approved, secretNames: [] });

  test("has nothing in it that the starting catalogue does not", () => {
    expect(checked).toMatchObject({ ok: true, warnings: [] });
  });

  test("sends the click id, and says which host is to be put in", () => {
    expect(preset.url).toContain(`://${placeholderHost}/`);
    expect(preset.url).toContain("{click_id}");
    expect(preset.hints[0]).toContain(placeholderHost);
  });

  test("renders every conversion, whatever its status is and if it has none", () => {
    if (!checked.ok) throw new Error("not a template");
    const template = compileTemplate(checked.source);
    for (const status of ["approved", "pending", "declined", "reversed", undefined]) {
      const result = renderTemplate(template, {
        values: new Map(Object.entries({ click_id: "c", ...(status ? { status } : {}) })),
        event: { id: "e", type: "conversion.approved", occurredAtMs: 0 },
        deliveryId: "1",
        affiliateId: "a",
      });
      expect(result.kind).toBe("rendered");
    }
  });
});

test("those that know statuses are fit for conversions that are not approved", () => {
  const withStatus = trackerPresets.filter(({ url }) => url.includes("{status"));
  expect(withStatus.length).toBeGreaterThan(3);
  for (const { url } of withStatus) {
    expect(checkTemplate(filledIn(url), { eventTypes, secretNames: [] })).toMatchObject({ ok: true });
  }
});
