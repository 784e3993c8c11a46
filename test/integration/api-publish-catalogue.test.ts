import { beforeAll, describe, expect, test } from "vitest";
import { fanOut } from "#lib/queue/fan-out.ts";
import { type Answer, setUpApi } from "#test/helpers/api.ts";
import { fanOutOptions } from "#test/helpers/factories.ts";
import * as affiliates from "../../app/api/v1/affiliates/route.ts";
import * as endpoints from "../../app/api/v1/endpoints/route.ts";
import * as eventType from "../../app/api/v1/event-types/[name]/route.ts";
import * as eventTypes from "../../app/api/v1/event-types/route.ts";
import * as event from "../../app/api/v1/events/[id]/route.ts";
import * as events from "../../app/api/v1/events/route.ts";

const api = setUpApi();
const publish = (body: unknown): Promise<Answer> => api.call(events.POST, { body });
const edit = (name: string, body: unknown) =>
  api.call(eventType.PATCH, { method: "PATCH", params: { name }, body });
const of = (type: string, data: string) => `{"type":"${type}","affiliate":"acme","data":${data}}`;

const fields = [
  { name: "click_id", kind: "string", required: true, example: "clk_1" },
  { name: "payout", kind: "decimal", example: "12.50" },
  { name: "count", kind: "integer", example: "3" },
];

beforeAll(async () => {
  await api.call(affiliates.POST, { body: { key: "acme", name: "Acme" } });
  await api.call(eventTypes.POST, { body: { name: "strict", fields } });
  await api.call(eventTypes.POST, { body: { name: "lenient", fields, invalid_data: "warn" } });
});

async function countEvents(): Promise<number> {
  const { rows } = await api.database.pool.query("select count(*)::int as n from posthorn.events");
  return rows[0].n;
}

describe("data that the event type does not allow", () => {
  test.each([
    ["{}", ["data.click_id"]],
    ['{"click_id":null}', ["data.click_id"]],
    ['{"click_id":""}', ["data.click_id"]],
    ['{"click_id":7}', ["data.click_id"]],
    ['{"click_id":"c","payout":"4.2e1"}', ["data.payout"]],
    [
      '{"click_id":{"secret":"value-1"},"payout":"value-2","count":1.0}',
      ["data.click_id", "data.payout", "data.count"],
    ],
  ])("%s is refused by the names of the fields, and nothing is kept", async (data, names) => {
    const before = await countEvents();
    const answer = await publish(of("strict", data));
    expect(answer).toMatchObject({ status: 422, body: { code: "invalid_input" } });
    expect(answer.body.errors.map(({ field }: { field: string }) => field)).toEqual(names);
    expect(JSON.stringify(answer.body)).not.toContain("value-");
    expect(await countEvents()).toBe(before);
  });

  test.each([
    '{"click_id":"c"}',
    '{"click_id":"c","payout":12.50,"count":9007199254740993}',
    '{"click_id":"c","payout":"12.50","count":"9007199254740993","other":{"a":[1]}}',
    '{"click_id":"c","payout":null,"count":""}',
  ])("%s passes without a word, its bytes kept", async (data) => {
    const answer = await publish(of("strict", data));
    expect(answer).toMatchObject({ status: 202 });
    expect(answer.body).toEqual({ id: expect.any(String), duplicate: false });
    expect((await api.call(event.GET, { params: { id: answer.body.id } })).body.data_text).toBe(data);
  });

  test("is accepted with warnings where the type says so, and sent", async () => {
    await api.call(endpoints.POST, {
      body: { affiliate: "acme", name: "e", url: "http://127.0.0.1:1/", event_types: ["lenient"] },
    });
    const answer = await publish(of("lenient", '{"payout":"a lot"}'));
    expect(answer).toMatchObject({
      status: 202,
      body: { duplicate: false, warnings: [{ field: "data.click_id" }, { field: "data.payout" }] },
    });
    expect(JSON.stringify(answer.body)).not.toContain("a lot");
    while ((await fanOut(api.database.pool, fanOutOptions)) > 0);
    const got = await api.call(event.GET, { params: { id: answer.body.id } });
    expect(got.body.recipients).toMatchObject([{ delivery: { state: "pending", reason: null } }]);
  });

  test("in an array concerns its own item alone", async () => {
    const { status, body } = await publish(
      `[${of("strict", '{"click_id":"a"}')},${of("strict", "{}")},${of("lenient", "{}")},${of("nothing.such", "{}")},${of("ftd", '{"payout":true}')},${of("ftd", "{}")}]`,
    );
    expect(status).toBe(202);
    expect(body.results).toMatchObject([
      { duplicate: false },
      { error: { status: 422, errors: [{ field: "data.click_id" }] } },
      { duplicate: false, warnings: [{ field: "data.click_id" }] },
      { error: { status: 422, errors: [{ field: "type" }] } },
      { error: { status: 422, errors: [{ field: "data.payout" }] } },
      { duplicate: false },
    ]);
  });

  test("published through SQL makes deliveries that are skipped, and the event says why", async () => {
    const { body: made } = await api.call(endpoints.POST, {
      body: { affiliate: "acme", name: "sql", url: "http://127.0.0.1:1/", event_types: ["strict"] },
    });
    const { rows } = await api.database.pool.query(
      `select posthorn.publish(type => 'strict', affiliate => 'acme', data => '{"payout":1}') as id`,
    );
    while ((await fanOut(api.database.pool, fanOutOptions)) > 0);
    const { body } = await api.call(event.GET, { params: { id: rows[0].id } });
    const recipient = body.recipients.find(
      ({ endpoint }: { endpoint: { id: string } }) => endpoint.id === made.id,
    );
    expect(recipient).toMatchObject({
      decision: "delivery",
      delivery: { state: "skipped", reason: "invalid_data" },
    });
  });
});

describe("an edit of the catalogue", () => {
  test("holds for the next event", async () => {
    await api.call(eventTypes.POST, { body: { name: "changing" } });
    const given = of("changing", "{}");
    expect(await publish(given)).toMatchObject({ status: 202 });
    await edit("changing", { fields });
    expect(await publish(given)).toMatchObject({ status: 422 });
    await edit("changing", { invalid_data: "warn" });
    expect(await publish(given)).toMatchObject({ status: 202, body: { warnings: [{}] } });
    await edit("changing", { fields: [] });
    expect((await publish(given)).body).not.toHaveProperty("warnings");
  });

  test("holds for whatever is under way, in one process or in many", async () => {
    await api.call(eventTypes.POST, { body: { name: "busy" } });
    const given = `[${Array(20).fill(of("busy", "{}")).join(",")}]`;
    const publishing = (async () => {
      const counts: number[] = [];
      for (let i = 0; i < 30; i += 1) {
        const { body } = await publish(given);
        counts.push(body.results.filter((result: object) => "warnings" in result).length);
      }
      return counts;
    })();
    for (let i = 0; i < 20; i += 1) {
      // As another process would change it.
      await api.database.pool.query(
        "update posthorn.event_types set fields = $1, invalid_data = 'warn' where name = 'busy'",
        [JSON.stringify(i % 2 === 0 ? fields : [])],
      );
    }
    // A request is judged by one catalogue.
    expect((await publishing).every((count) => count === 0 || count === 20)).toBe(true);
    expect((await publish(of("busy", "{}"))).body).not.toHaveProperty("warnings");
    await api.call(eventType.DELETE, { method: "DELETE", params: { name: "busy" } });
    expect(await publish(of("busy", "{}"))).toMatchObject({
      status: 422,
      body: { errors: [{ field: "type" }] },
    });
    await api.call(eventTypes.POST, { body: { name: "busy", fields } });
    expect(await publish(of("busy", "{}"))).toMatchObject({
      status: 422,
      body: { errors: [{ field: "data.click_id" }] },
    });
  });

  test("a deprecated type is accepted with a warning", async () => {
    await api.call(eventTypes.POST, { body: { name: "old" } });
    await edit("old", { deprecated: true });
    expect(await publish(of("old", "{}"))).toMatchObject({
      status: 202,
      body: { warnings: [{ field: "type", message: "is deprecated" }] },
    });
    await edit("old", { deprecated: false });
    expect((await publish(of("old", "{}"))).body).not.toHaveProperty("warnings");
  });
});
