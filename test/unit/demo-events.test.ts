import { describe, expect, it } from "vitest";
import { checkData } from "#lib/delivery/catalogue.ts";
import { endpointCreate } from "#lib/endpoints/schema.ts";
import { eventTypeCreate } from "#lib/event-types/schema.ts";
import { createEventSource, type DemoEvent } from "#scripts/demo-events.ts";
import { demoEndpoints, demoEventTypes } from "#scripts/demo-world.ts";

function take(count: number, seed: number): DemoEvent[] {
  const source = createEventSource({ seed, players: ["a", "b"], customers: ["c"] });
  return Array.from({ length: count }, () => source.next(new Date("2026-01-02T03:04:05.678Z")));
}

describe("the demo's events", () => {
  it("are the same for the same seed, and others for another", () => {
    expect(take(500, 7)).toEqual(take(500, 7));
    expect(take(500, 7)).not.toEqual(take(500, 8));
  });

  it("come in all types of the demo, and in no other", () => {
    const types = new Set(take(3_000, 1).map(({ type }) => type));
    expect([...types].sort()).toEqual(demoEventTypes.map(({ name }) => name).sort());
  });

  it("have the data that their types ask for", () => {
    const types = new Map(demoEventTypes.map((type) => [type.name, eventTypeCreate.parse(type).fields]));
    for (const { type, data } of take(1_000, 4)) {
      expect(checkData(JSON.stringify(data), types.get(type) ?? []), type).toEqual([]);
    }
  });

  it("tell one story for each person", () => {
    const events = take(3_000, 1).filter(({ data }) => data.click_id);
    const reversed = events.find(({ type }) => type === "conversion.reversed");
    const story = events.filter(({ data }) => data.click_id === reversed?.data.click_id);
    expect(story.map(({ type }) => type).filter((type) => type !== "deposit")).toEqual([
      "registration",
      "ftd",
      "qualified",
      "conversion.approved",
      "conversion.reversed",
    ]);
    expect(new Set(story.map(({ affiliate }) => affiliate)).size).toBe(1);
    expect(new Set(story.slice(-3).map(({ data }) => `${data.conversion_id} ${data.payout}`)).size).toBe(1);
  });

  it("give money as text with two decimals", () => {
    const amounts = take(500, 3).flatMap(({ data }) => [data.amount, data.payout]);
    for (const amount of amounts.filter((each) => each !== undefined)) expect(amount).toMatch(/^\d+\.\d\d$/);
  });
});

it("every endpoint of the demo is one that can be made", () => {
  for (const { behaviour: _, query = "", path, ...settings } of demoEndpoints) {
    const made = endpointCreate.safeParse({ ...settings, url: `http://127.0.0.1:4700${path}${query}` });
    expect(made.error?.issues).toBeUndefined();
  }
});
