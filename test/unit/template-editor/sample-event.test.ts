import { expect, test } from "vitest";
import { maskPieces, sampleOfEvent, sampleOfExamples } from "#components/template-editor/sample-event.ts";
import { compileTemplate, traceTemplate } from "#lib/delivery/template/render.ts";
import type { EventType } from "#lib/event-types/schema.ts";
import type { EventDetail } from "#lib/events/schema.ts";

const field = (name: string, example: string): EventType["fields"][number] => ({
  name,
  example,
  description: "",
  kind: "string",
  required: false,
  sensitive: false,
  searchable: false,
});
const type = { name: "conversion.approved", fields: [field("click_id", "clk"), field("sub1", "s")] };
const event = (data_text: string | null, masked = false): EventDetail => ({
  id: "e-1",
  type: type.name,
  affiliate: { id: "a-1", key: "a", name: "A" },
  occurred_at: "2026-01-31T12:00:00.500Z",
  received_at: "2026-01-31T12:00:01.000Z",
  ordering_key: null,
  data_bytes: 2,
  data_text,
  masked,
  recipients: [],
});
const template = compileTemplate({
  method: "GET",
  url: "https://t.test/{sub1}?c={click_id:sha256}&t={timestamp_ms}&a={affiliate_id}",
  body: null,
  contentType: null,
});

/** The URL as the preview shows it. */
function shown(sample: ReturnType<typeof sampleOfEvent>): string | null {
  if (!sample) return null;
  const { url } = traceTemplate(template, sample.input);
  return maskPieces(url, sample.masked)
    .map(({ text }) => text)
    .join("");
}

test("an event is read as when it was published", () => {
  const sample = sampleOfEvent(event('{"sub1":1.50,"click_id":"x","other":1}'), type);
  expect(sample?.input.values).toEqual(new Map(Object.entries({ sub1: "1.50", click_id: "x" })));
  expect(shown(sample)).toMatch(/^https:\/\/t\.test\/1\.50\?c=[0-9a-f]{64}&t=1769860800500&a=a-1$/);
});

test("what may not be seen is masked in what its functions make of it too", () => {
  const sample = sampleOfEvent(event('{"sub1":"b","click_id":"••••9c21"}', true), type);
  expect(shown(sample)).toBe("https://t.test/b?c=••••&t=1769860800500&a=a-1");
});

test("dots that somebody published are no mask", () => {
  const sample = sampleOfEvent(event('{"sub1":"••••"}'), type);
  expect(shown(sample)).toContain("t.test/%E2%80%A2%E2%80%A2");
});

test.each([[null], ["••••"]])("with data %s there is nothing to render with", (data) => {
  expect(sampleOfEvent(event(data, true), type)).toBeNull();
});

test("without an event the catalogue's examples do", () => {
  expect(shown(sampleOfExamples(type))).toMatch(/^https:\/\/t\.test\/s\?c=[0-9a-f]{64}&t=1769860800000&a=/);
});
