import { beforeAll, expect, test } from "vitest";
import { ensureFirstApiKey } from "#lib/auth/api-keys.ts";
import { setUpApi } from "#test/helpers/api.ts";
import * as affiliates from "../../app/api/v1/affiliates/route.ts";
import * as events from "../../app/api/v1/events/route.ts";

process.env.POSTHORN_PUBLISH_PER_SECOND = "1";
const api = setUpApi();
const event = { type: "ftd", affiliate: "acme", data: {} };

beforeAll(() => api.call(affiliates.POST, { body: { key: "acme", name: "Acme" } }));

test("what a key publishes beyond its limit is a 429 with the time to come back, and is not stored", async () => {
  // Deep enough in debt that the time which passes meanwhile does not matter.
  const many = await api.call(events.POST, { body: Array.from({ length: 500 }, () => event) });
  expect(many.status).toBe(202);
  const refused = await api.call(events.POST, { body: { ...event, id: "refused" } });
  expect(refused).toMatchObject({ status: 429, body: { code: "too_many_requests" } });
  expect(refused.headers.get("content-type")).toBe("application/problem+json");
  const seconds = Number(refused.headers.get("retry-after"));
  expect(seconds).toBeGreaterThan(400);
  expect(seconds).toBeLessThanOrEqual(500);
  const { rows } = await api.database.pool.query(
    "select count(*)::int as n, count(*) filter (where event_id = 'refused')::int as refused from posthorn.event_outbox",
  );
  expect(rows).toEqual([{ n: 500, refused: 0 }]);

  expect(await api.call(events.GET)).toMatchObject({ status: 200 });
  const other = "another-key-of-24-characters";
  await ensureFirstApiKey(api.database.pool, { provided: other });
  const headers = { authorization: `Bearer ${other}` };
  expect(await api.call(events.POST, { body: event, headers })).toMatchObject({ status: 202 });
});
