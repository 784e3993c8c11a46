import { setTimeout as sleep } from "node:timers/promises";
import pg from "pg";
import { afterAll, describe, expect, test } from "vitest";
import { leaseSeconds } from "#lib/queue/workers.ts";
import { type Answer, setUpApi } from "#test/helpers/api.ts";
import { createEndpoint, publishMany } from "#test/helpers/factories.ts";
import { type OwnPostgres, startOwnPostgres } from "#test/helpers/own-postgres.ts";
import { type ReceivedRequest, type Receiver, startReceiver } from "#test/helpers/receiver.ts";
import { eventually, spawnWorker } from "#test/helpers/workers.ts";
import * as events from "../../app/api/v1/events/route.ts";
import * as readyz from "../../app/readyz/route.ts";

/** Case 31, on a PostgreSQL of this file's own, which is really shut down. */
let postgres: OwnPostgres;
const receiver: Receiver = await startReceiver();
const api = setUpApi(async () => {
  postgres = await startOwnPostgres();
  const pool = new pg.Pool({ connectionString: postgres.url, max: 5 });
  pool.on("error", () => undefined);
  return { url: postgres.url, pool };
});
afterAll(async () => {
  await api.database.pool.end();
  await postgres.end();
  await receiver.close();
});

let paths = 0;
const newPath = () => `/database-${++paths}`;
const idOf = (request: ReceivedRequest) => request.headers[request.headers.indexOf("webhook-id") + 1];

/** Until nothing is left to do. */
const untilFinished = () =>
  eventually(async () => {
    const { rows } = await api.database.pool.query(
      `select not exists (select from posthorn.event_outbox)
         and not exists (select from posthorn.deliveries where state in ('pending', 'failed', 'in_flight')) as finished`,
    );
    return rows[0].finished;
  }, 60_000);

async function attemptsOf(endpointId: string) {
  const { rows } = await api.database.pool.query(
    "select * from posthorn.delivery_attempts where endpoint_id = $1 order by delivery_id, number",
    [endpointId],
  );
  return rows;
}

const shutdowns = ["fast", "immediate"] as const;

describe("case 31: PostgreSQL restarted under load", () => {
  test.each(shutdowns)(
    "%s: the API answers 503, workers go on by themselves, nothing is lost",
    async (shutdown) => {
      const path = newPath();
      receiver.script(path, { delayMs: 20, status: 200 });
      const endpoint = await createEndpoint(api.database.pool, { url: receiver.url(path), concurrency: 64 });
      const workers = await Promise.all([spawnWorker(postgres.url), spawnWorker(postgres.url)]);
      const accepted: string[] = [];
      const unanswered: Answer[] = [];
      const body = (id: string) => ({ id, type: "ftd", affiliate: endpoint.affiliateKey, data: {} });
      let isOver = false;
      /** As a producer does it: the same event again until it is taken. */
      const produce = async (name: string) => {
        for (let n = 0; !isOver; n++) {
          const id = `${shutdown}-${name}-${n}`;
          for (;;) {
            const answer = await api.call(events.POST, { body: body(id) });
            if (answer.status === 202 || answer.status === 200) break;
            unanswered.push(answer);
            await sleep(20);
          }
          accepted.push(id);
          await sleep(5);
        }
      };
      const producers = ["a", "b", "c"].map(produce);
      await receiver.waitFor(path, 50, 30_000);
      const down = postgres.restart(shutdown, 500);
      await eventually(async () => unanswered.length > 0);
      const ready = await readyz.GET();
      expect([ready.status, ready.headers.get("retry-after")]).toEqual([503, "2"]);
      await down;
      const acceptedBefore = accepted.length;
      await eventually(async () => accepted.length > acceptedBefore + 50, 30_000);
      isOver = true;
      await Promise.all(producers);
      await untilFinished();

      for (const answer of unanswered) {
        expect(answer).toMatchObject({ status: 503, body: { code: "database_unavailable" } });
        expect(answer.headers.get("retry-after")).toBe("2");
      }
      expect(new Set(receiver.requests(path).map(idOf))).toEqual(new Set(accepted));
      // No worker died, so nothing was repeated either.
      expect(receiver.requests(path)).toHaveLength(accepted.length);
      expect(await Promise.all(workers.map((worker) => worker.end("SIGTERM")))).toEqual([0, 0]);
    },
    120_000,
  );

  test("a worker that starts while it is away waits for it", async () => {
    const path = newPath();
    const endpoint = await createEndpoint(api.database.pool, { url: receiver.url(path) });
    await publishMany(api.database.pool, { affiliate: endpoint.affiliateKey, count: 1 });
    const down = postgres.restart("fast", 4_000);
    await eventually(async () => !(await readyz.GET()).ok);
    const worker = spawnWorker(postgres.url);
    await down;
    await receiver.waitFor(path, 1, 30_000);
    expect((await worker).child.exitCode).toBeNull();
    await untilFinished();
  }, 60_000);

  test("away past every lease: what workers have on the wire stays theirs, and is not repeated", async () => {
    const path = newPath();
    receiver.script(path, { delayMs: (leaseSeconds + 20) * 1_000, status: 200 });
    const endpoint = await createEndpoint(api.database.pool, {
      url: receiver.url(path),
      // Whichever worker claims them all has a share of so many.
      concurrency: 64,
      timeoutMs: 60_000,
    });
    const workers = await Promise.all([spawnWorker(postgres.url), spawnWorker(postgres.url)]);
    await publishMany(api.database.pool, { affiliate: endpoint.affiliateKey, count: 10 });
    await receiver.waitFor(path, 10, 15_000);
    const { rows } = await api.database.pool.query(
      "select leased_by as id from posthorn.deliveries where state = 'in_flight' limit 1",
    );
    // One that holds something comes back later than the other, which looks for lost ones every 5 s.
    const slow = workers.find((worker) => worker.id === rows[0].id);
    const down = postgres.restart("fast", (leaseSeconds + 2) * 1_000);
    slow?.child.kill("SIGSTOP");
    await down;
    await sleep(7_000);
    slow?.child.kill("SIGCONT");
    await untilFinished();
    expect(receiver.requests(path)).toHaveLength(10);
    expect((await attemptsOf(endpoint.id)).map((attempt) => [attempt.outcome, attempt.late])).toEqual(
      Array(10).fill(["delivered", false]),
    );
  }, 120_000);
});
