import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, afterEach, describe, expect, test } from "vitest";
import { setUpApi } from "#test/helpers/api.ts";
import { makeCertificate } from "#test/helpers/certificates.ts";
import { createEndpoint, publishMany, type TestEndpoint } from "#test/helpers/factories.ts";
import { type Receiver, startReceiver } from "#test/helpers/receiver.ts";
import { passTime } from "#test/helpers/time.ts";
import { eventually, spawnWorker, startWorker } from "#test/helpers/workers.ts";
import * as endpoint from "../../app/api/v1/endpoints/[id]/route.ts";

/** Case 21 through the pipeline; gates.test.ts holds what each result does to the breaker. */
const receiver: Receiver = await startReceiver();
const expired = await startReceiver({
  tls: makeCertificate({
    commonName: "expired",
    names: ["127.0.0.1"],
    notBefore: new Date("2020-01-01"),
    notAfter: new Date("2020-02-01"),
  }),
});
const api = setUpApi();
const cooldownSeconds = 300;
const events = 30;
let paths = 0;
const newPath = () => `/breaker-${++paths}`;

afterAll(() => Promise.all([receiver.close(), expired.close()]));
// So that no later test's passing of time sends what this one left.
afterEach(() => api.database.pool.query("update posthorn.endpoint_health set ready_at = 'infinity'"));

async function rowsOf({ id }: TestEndpoint) {
  const { rows } = await api.database.pool.query(
    "select state, attempt_number, attempts_charged, leased_by from posthorn.deliveries where endpoint_id = $1 order by id",
    [id],
  );
  return rows;
}

async function transitionsOf({ id }: TestEndpoint): Promise<string[]> {
  const { rows } = await api.database.pool.query(
    "select to_state, cause, cooldown_seconds from posthorn.breaker_transitions where endpoint_id = $1 order by id",
    [id],
  );
  return rows.map((row) => `${row.to_state}: ${row.cause} ${row.cooldown_seconds}`);
}

const shown = async ({ id }: TestEndpoint) => (await api.call(endpoint.GET, { params: { id } })).body;
const isOpen = (of: TestEndpoint) => eventually(async () => (await shown(of)).breaker.state === "open");
const startFour = () => Promise.all([1, 2, 3, 4].map(() => startWorker(api.database.url)));

/** An endpoint at a URL that fails, with thirty events, of which ten have opened its breaker. */
async function opened(url: string): Promise<TestEndpoint> {
  const of = await createEndpoint(api.database.pool, { url, concurrency: 1, timeoutMs: 60_000 });
  await publishMany(api.database.pool, { affiliate: of.affiliateKey, count: events });
  await isOpen(of);
  return of;
}

describe("case 21: with four workers", () => {
  const broken: [string, () => string][] = [
    [
      "a 301",
      () => {
        const path = newPath();
        receiver.script(path, { status: 301, redirectTo: receiver.url("/elsewhere") });
        return receiver.url(path);
      },
    ],
    ["an expired certificate", () => expired.url("/hook")],
  ];
  test.each(broken)(
    "%s counts: ten events die, the rest wait without an attempt, until the owner fixes the URL",
    async (_what, url) => {
      await startFour();
      const of = await opened(url());
      await sleep(500);
      const waiting = { state: "pending", attempt_number: 0, attempts_charged: 0 };
      expect(await rowsOf(of)).toMatchObject([
        ...Array(10).fill({ state: "dead_letter", attempt_number: 1 }),
        ...Array(events - 10).fill(waiting),
      ]);

      // Never more on the wire than the ramp allows: 1 for the probe, then 1, 2, 4 after as many answers.
      const path = newPath();
      let active = 0;
      let answered = 0;
      const tooMany: string[] = [];
      receiver.script(path, () => {
        active += 1;
        const allowed = answered === 0 ? 1 : Math.min(8, 2 ** Math.floor(Math.log2(answered)));
        if (active > allowed) tooMany.push(`${active} after ${answered} answers`);
        setTimeout(() => {
          active -= 1;
          answered += 1;
        }, 95);
        return { delayMs: 100 };
      });
      const body = { url: receiver.url(path), concurrency: 8 };
      expect((await api.call(endpoint.PATCH, { method: "PATCH", params: { id: of.id }, body })).status).toBe(
        200,
      );
      await receiver.waitFor(path, events - 10);
      await eventually(async () => (await rowsOf(of)).every(({ state }) => state !== "in_flight"));
      expect(tooMany).toEqual([]);
      expect((await rowsOf(of)).slice(10)).toMatchObject(
        Array(events - 10).fill({ state: "delivered", attempt_number: 1, attempts_charged: 1 }),
      );
      expect((await transitionsOf(of)).slice(1)).toEqual([
        `open: endpoint_changed ${cooldownSeconds}`,
        `half_open: probe_started ${cooldownSeconds}`,
        `closed: probe_succeeded ${cooldownSeconds}`,
      ]);
    },
  );

  test("each cooldown over, exactly one request goes; its failure doubles the cooldown; none waiting is charged", async () => {
    const path = newPath();
    receiver.script(path, { status: 404, delayMs: 100 });
    await startFour();
    const of = await opened(receiver.url(path));
    for (const [probes, cooldown] of [
      [1, 2 * cooldownSeconds],
      [2, 4 * cooldownSeconds],
    ] as const) {
      await passTime(api.database.pool, cooldown / 2);
      await receiver.waitFor(path, 10 + probes);
      await eventually(async () => (await shown(of)).breaker.cooldown_seconds === cooldown);
      await sleep(500);
      expect(receiver.requests(path)).toHaveLength(10 + probes);
    }
    expect((await rowsOf(of)).slice(12)).toMatchObject(Array(events - 12).fill({ attempts_charged: 0 }));
  });

  test("a probe that answers 400 closes it, and counter and cooldown start afresh", async () => {
    const path = newPath();
    receiver.script(path, ...Array(11).fill({ status: 404 }), { status: 400 }, {});
    await startFour();
    const of = await opened(receiver.url(path));
    await passTime(api.database.pool, cooldownSeconds);
    await eventually(async () => (await shown(of)).breaker.cooldown_seconds === 2 * cooldownSeconds);
    await isOpen(of);
    await passTime(api.database.pool, 2 * cooldownSeconds);
    await receiver.waitFor(path, events);
    await eventually(async () => (await rowsOf(of)).every(({ state }) => state !== "in_flight"));
    const { breaker, health } = await shown(of);
    expect(breaker).toMatchObject({ state: "closed", cooldown_seconds: cooldownSeconds });
    expect(health.consecutive_failures).toBe(0);
    expect((await transitionsOf(of)).at(-1)).toBe(`closed: probe_neutral ${cooldownSeconds}`);
  });
});

test("case 21: the prober is killed: another probes, the cooldown as it was, and its attempt is not charged", async () => {
  const path = newPath();
  receiver.script(path, ...Array(10).fill({ status: 404 }), { hang: true }, {});
  const workers = await Promise.all([spawnWorker(api.database.url), spawnWorker(api.database.url)]);
  const of = await opened(receiver.url(path));
  await passTime(api.database.pool, cooldownSeconds);
  await receiver.waitFor(path, 11);
  const probe = (await rowsOf(of)).find(({ state }) => state === "in_flight");
  const prober = workers.find(({ id }) => id === probe?.leased_by);
  expect(await prober?.end("SIGKILL")).toBe("SIGKILL");
  // Its lease need not be waited for.
  await api.database.pool.query("update posthorn.workers set lease_until = now() where id = $1", [
    prober?.id,
  ]);
  await receiver.waitFor(path, events + 1, 20_000);
  await eventually(async () => (await rowsOf(of)).every(({ state }) => state !== "in_flight"));
  expect((await transitionsOf(of)).slice(1)).toEqual([
    `half_open: probe_started ${cooldownSeconds}`,
    `open: probe_lost ${cooldownSeconds}`,
    `half_open: probe_started ${cooldownSeconds}`,
    `closed: probe_succeeded ${cooldownSeconds}`,
  ]);
  expect((await rowsOf(of)).slice(10)).toMatchObject(
    Array(events - 10).fill({ state: "delivered", attempts_charged: 1 }),
  );
});
