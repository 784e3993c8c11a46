import { readFileSync } from "node:fs";
import { expect } from "vitest";
import { readFields } from "#lib/delivery/catalogue.ts";
import { signUrl } from "#lib/delivery/signature.ts";
import { checkTemplate } from "#lib/delivery/template/check.ts";
import { compileTemplate, renderTemplate } from "#lib/delivery/template/render.ts";
import type { TemplateEventType, TemplateSource } from "#lib/delivery/template/types.ts";
import type { FieldKind } from "#lib/vocabulary.ts";

/** A template, an event, and the one thing that must come of them. */
export type PostbackCase = {
  name: string;
  template: string;
  method?: "POST";
  body?: string;
  content_type?: NonNullable<TemplateSource["contentType"]>;
  event_type?: string;
  occurred_at?: string;
  data?: Record<string, unknown>;
  /** Where the exact JSON text matters. */
  raw_data?: string;
  sign_with?: string;
  url?: string;
  sent_body?: string;
  warns?: string;
  skip?: string;
  fail?: string;
  refuse?: string;
  suggests?: string;
};

export function readPostbackCases(path: string): PostbackCase[] {
  return (JSON.parse(readFileSync(path, "utf8")) as { cases: PostbackCase[] }).cases;
}

/** The exact JSON text of a case's data. */
function dataText({ raw_data, data = {} }: PostbackCase): string {
  return raw_data ?? JSON.stringify(data);
}

/** A case as the request that asks for its preview; its data keep the text they have. */
export function previewRequest(given: PostbackCase): string {
  const { template, method, body, content_type, sign_with, occurred_at } = given;
  const event = JSON.stringify({ type: given.event_type ?? "conversion.approved", occurred_at });
  const request = JSON.stringify({ template, method, body, content_type, sign_with });
  return `${request.slice(0, -1)},"event":${event.slice(0, -1)},"data":${dataText(given)}}}`;
}

/** What the preview must answer; null where the template cannot be saved. */
export function previewOf({ url, sent_body: body, warns, skip, fail }: PostbackCase): object | null {
  if (skip !== undefined) return { skipped: skip };
  if (fail !== undefined) return { failed: fail };
  if (url === undefined) return null;
  const warnings = warns === undefined ? [] : [expect.objectContaining({ code: warns })];
  return { url, ...(body === undefined ? {} : { body }), warnings };
}

/** The fields of the starting catalogue; every event type of it has them all. */
export const startingFields: { name: string; kind: FieldKind }[] = [
  ...["click_id", "conversion_id", "transaction_id"].map((name) => ({ name, kind: "string" as const })),
  { name: "payout", kind: "decimal" },
  { name: "amount", kind: "decimal" },
  ...["currency", "status", "goal", "offer_id", "campaign_id", "country"].map((name) => ({
    name,
    kind: "string" as const,
  })),
  ...Array.from({ length: 10 }, (_, i) => ({ name: `sub${i + 1}`, kind: "string" as const })),
  { name: "occurred_at", kind: "timestamp" },
];

export function eventType(name: string, fields = startingFields): TemplateEventType {
  return { name, fields };
}

/** Checks, renders and signs as a case says, and compares. */
export function expectPostbackCase(given: PostbackCase): void {
  const type = given.event_type ?? "conversion.approved";
  const source: TemplateSource = {
    method: given.method ?? "GET",
    url: given.template,
    body: given.body ?? null,
    contentType: given.content_type ?? null,
  };
  const checked = checkTemplate(source, { eventTypes: [eventType(type)], secretNames: ["token"] });
  if (given.refuse !== undefined) {
    if (checked.ok) throw new Error("the template was accepted");
    expect([...new Set(checked.faults.map(({ code }) => code))]).toEqual([given.refuse]);
    if (given.suggests) expect(checked.faults[0]?.suggestion).toContain(given.suggests);
    return;
  }
  if (!checked.ok) throw new Error(checked.faults.map(({ message }) => message).join(" "));
  const result = renderTemplate(compileTemplate(checked.source), {
    values: readFields(dataText(given), startingFields),
    event: { id: "evt-1", type, occurredAtMs: Date.parse(given.occurred_at ?? "2026-01-31T12:00:00.000Z") },
    deliveryId: "1",
    affiliateId: "acme",
  });
  const reason = given.skip ?? given.fail;
  if (reason !== undefined) {
    expect(result).toEqual({ kind: given.skip ? "skipped" : "failed", reason });
    return;
  }
  if (result.kind !== "rendered") throw new Error(`the template was not rendered: ${result.reason}`);
  expect(given.sign_with ? signUrl(result.url, Buffer.from(given.sign_with)) : result.url).toBe(given.url);
  expect(result.body).toBe(given.sent_body ?? null);
  expect(result.warnings.map(({ code }) => code)).toEqual(given.warns ? [given.warns] : []);
}
