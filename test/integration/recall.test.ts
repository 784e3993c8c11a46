import { afterAll, describe, expect, test } from "vitest";
import { setUpApi } from "#test/helpers/api.ts";
import { createEndpoint, publishMany, type TestEndpoint } from "#test/helpers/factories.ts";
import { type Receiver, startReceiver } from "#test/helpers/receiver.ts";
import { eventually, startWorker } from "#test/helpers/workers.ts";
import { POST as hold } from "../../app/api/v1/endpoints/[id]/breaker/hold/route.ts";
import { POST as pause } from "../../app/api/v1/endpoints/[id]/pause/route.ts";
import * as endpoint from "../../app/api/v1/endpoints/[id]/route.ts";

const receiver: Receiver = await startReceiver();
const api = setUpApi();
afterAll(() => receiver.close());

describe("what a worker has claimed and not yet sent", () => {
  const verbs: Record<string, (id: string) => Promise<{ status: number }>> = {
    "held by hand": (id) => api.call(hold, { params: { id }, body: { reason: "they asked" } }),
    paused: (id) => api.call(pause, { method: "POST", params: { id } }),
    deleted: (id) => api.call(endpoint.DELETE, { method: "DELETE", params: { id } }),
    "left alone": async () => ({ status: 200 }),
  };

  test("goes back, untouched, within a heartbeat of its endpoint's being held, paused or deleted", async () => {
    const { pool } = api.database;
    const made: { what: string; path: string; of: TestEndpoint }[] = [];
    for (const what of Object.keys(verbs)) {
      const path = `/recalled-${made.length}`;
      // Eight are claimed at once and two on the wire: six wait, the last of them for nine seconds.
      receiver.script(path, { delayMs: 3_000 });
      const of = await createEndpoint(pool, { url: receiver.url(path), concurrency: 2, timeoutMs: 10_000 });
      await publishMany(pool, { affiliate: of.affiliateKey, count: 8 });
      made.push({ what, path, of });
    }
    const rowsOf = async ({ id }: TestEndpoint) =>
      (await pool.query("select state, attempt_number from posthorn.deliveries where endpoint_id = $1", [id]))
        .rows;
    await startWorker(api.database.url);
    await eventually(async () => {
      const rows = (await Promise.all(made.map(({ of }) => rowsOf(of)))).flat();
      return rows.length === 32 && rows.every(({ state }) => state === "in_flight");
    });
    for (const { what, of } of made) expect((await verbs[what]?.(of.id))?.status).toBeLessThan(300);

    for (const { what, path, of } of made) {
      const rows = await eventually(async () => {
        const now = await rowsOf(of);
        return now.every(({ state }) => state !== "in_flight") && now;
      });
      const sent = receiver.requests(path).length;
      if (what === "left alone") {
        expect(sent).toBe(8);
        continue;
      }
      // The two that were on the wire, and the two after them where the heartbeat came later than their end.
      expect(sent, what).toBeLessThanOrEqual(4);
      expect(
        rows.filter(({ state, attempt_number }) => state === "pending" && attempt_number === 0),
      ).toHaveLength(8 - sent);
    }
    const { rows } = await pool.query("select sum(in_flight)::int as n from posthorn.endpoint_health");
    expect(rows).toEqual([{ n: 0 }]);
  });
});
