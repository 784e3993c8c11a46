import { readFileSync } from "node:fs";
import { expect } from "vitest";
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
    values: valuesOf(given.raw_data ?? JSON.stringify(given.data ?? {})),
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

/** The text of every field that is present; numbers with the digits they came with. */
function valuesOf(dataText: string): Map<string, string> {
  const keepDigits = (_key: string, value: unknown, context?: { source: string }) =>
    typeof value === "number" ? (context?.source ?? String(value)) : value;
  const data = JSON.parse(dataText, keepDigits) as Record<string, unknown>;
  return new Map(
    Object.entries(data).flatMap(([name, value]) =>
      value === null || value === "" ? [] : [[name, String(value)] as const],
    ),
  );
}
