import { beforeAll, beforeEach, describe, expect, test } from "vitest";
import { diagnoseDeadLetters } from "#lib/queue/diagnosis.ts";
import type { Reason } from "#lib/vocabulary.ts";
import { demoPasts, demoPath, writeDemoHistory } from "#scripts/demo-history.ts";
import { addDeadLetters } from "#test/helpers/dead-letters.ts";
import { createAffiliate, createEndpoint } from "#test/helpers/factories.ts";
import { createTestDatabase, type TestDatabase } from "#test/helpers/postgres.ts";
import { eventually } from "#test/helpers/workers.ts";

let db: TestDatabase;
beforeAll(async () => {
  db = await createTestDatabase();
});
beforeEach(async () => {
  await db.pool.query(
    "truncate posthorn.deliveries, posthorn.alerts, posthorn.diagnoses, posthorn.event_keys",
  );
});

type Row = {
  key: string;
  kind: string;
  state: string;
  count: number;
  endpoint_id: string;
  ended_at: Date | null;
};
const alerts = async (): Promise<Row[]> =>
  (await db.pool.query("select * from posthorn.alerts order by id")).rows;

test("the demo's past shows every pattern, and nothing else", async () => {
  const names = new Map<string, string>();
  const affiliates = new Map<string, { id: string; key: string }>();
  for (const { affiliate, name } of demoPasts) {
    const owner = affiliates.get(affiliate) ?? (await createAffiliate(db.pool, affiliate));
    affiliates.set(affiliate, owner);
    const { id } = await createEndpoint(db.pool, { url: "http://127.0.0.1:9/", affiliate: owner });
    names.set(demoPath(affiliate, name), id);
  }
  const client = await db.pool.connect();
  try {
    expect(await writeDemoHistory(client, (path) => names.get(path))).toBe(true);
    expect(await writeDemoHistory(client, (path) => names.get(path))).toBe(false);
  } finally {
    client.release();
  }
  await diagnoseDeadLetters(db.pool);
  const nameOf = new Map([...names].map(([path, id]) => [id, path]));
  const found = (await alerts()).map(({ kind, count, endpoint_id }) => [
    kind,
    nameOf.get(endpoint_id) ?? null,
    count,
  ]);
  expect(found.sort()).toEqual(
    [
      ["outage", "/north-lagoon/conversion-feed", 340],
      ["credentials", "/north-lagoon/crm-webhooks", 120],
      ["rate_limit", "/north-lagoon/traffic-intake", 90],
      ["slow_accumulation", "/north-lagoon/partner-mirror", 28],
      ["refused_payload", "/cardinal-bets/ledger-sync", 48],
      ["moved", "/cardinal-bets/old-tracker", 64],
      ["configuration", "/cardinal-bets/compliance-archive", 22],
      ["poison", null, 2],
    ].sort(),
  );
  const { rows } = await db.pool.query(
    "select finding->'actions'->0 as first from posthorn.alerts where kind in ('rate_limit', 'slow_accumulation') order by kind",
  );
  expect(rows.map(({ first }) => first)).toEqual([
    // Four fifths of 900 an hour.
    { kind: "set_rate_limit", rate_limit: { amount: 12, per: "minute" } },
    // 28 given up of 60 an hour for nine days, so 1 in 462: from 5 attempts to 5 x ln(1 / 46,200) / ln(1 / 462).
    { kind: "set_retry", retry: { max_attempts: 9, base_seconds: 3600, cap_seconds: 3600 } },
  ]);
  const { rows: looked } = await db.pool.query(
    "select dead_letters, at > now() - interval '1 minute' as fresh from posthorn.diagnoses",
  );
  expect(looked).toEqual([{ dead_letters: 722, fresh: true }]);
});

describe("alerts", () => {
  let mine: { id: string; affiliateId: string };
  beforeAll(async () => {
    mine = await createEndpoint(db.pool, { url: "http://127.0.0.1:9/" });
  });
  const sibling = () => createEndpoint(db.pool, { url: "http://127.0.0.1:9/" });
  const of = (count: number, reason: Reason = "unauthorized") =>
    addDeadLetters(db.pool, { endpointId: mine.id, affiliateId: mine.affiliateId, count, reason });

  test("eight workers at once tell of each finding once", async () => {
    await of(8);
    await of(4, "certificate_invalid");
    const told = (await Promise.all(Array.from({ length: 8 }, () => diagnoseDeadLetters(db.pool)))).flat();
    expect(told.map(({ kind, state }) => `${kind} ${state}`).sort()).toEqual([
      "configuration opened",
      "credentials opened",
    ]);
    expect(await alerts()).toHaveLength(2);
    await db.pool.query("update posthorn.deliveries set state = 'pending'");
    const ended = (await Promise.all(Array.from({ length: 8 }, () => diagnoseDeadLetters(db.pool)))).flat();
    expect(ended.map(({ kind, state }) => `${kind} ${state}`).sort()).toEqual([
      "configuration ended",
      "credentials ended",
    ]);
    expect((await alerts()).map(({ state, ended_at }) => [state, ended_at !== null])).toEqual([
      ["ended", true],
      ["ended", true],
    ]);
  });

  test("one that lasts is kept up to date, and told of once", async () => {
    await of(6);
    expect(await diagnoseDeadLetters(db.pool)).toHaveLength(1);
    await of(3);
    expect(await diagnoseDeadLetters(db.pool)).toEqual([]);
    expect(await alerts()).toMatchObject([{ state: "open", count: 9 }]);
  });

  test("one that comes back is another alert", async () => {
    await of(6);
    await diagnoseDeadLetters(db.pool);
    await db.pool.query("update posthorn.deliveries set state = 'pending'");
    await diagnoseDeadLetters(db.pool);
    await of(7);
    await diagnoseDeadLetters(db.pool);
    expect((await alerts()).map(({ state, count }) => [state, count])).toEqual([
      ["ended", 6],
      ["open", 7],
    ]);
  });

  test("one that is put back lasts to the end, and is told of once", async () => {
    await of(60, "timeout");
    const told = [await diagnoseDeadLetters(db.pool)];
    for (const left of [49, 20, 7, 6, 2]) {
      await db.pool.query(
        `update posthorn.deliveries set state = 'pending' where state = 'dead_letter'
           and id not in (select id from posthorn.deliveries where state = 'dead_letter' order by id desc limit $1)`,
        [left],
      );
      told.push(await diagnoseDeadLetters(db.pool));
    }
    expect(told.map((changes) => changes.map(({ kind, state }) => `${kind} ${state}`))).toEqual([
      ["outage opened"],
      [],
      [],
      [],
      ["outage ended"],
      [],
    ]);
    expect(await alerts()).toMatchObject([
      { state: "ended", count: 7, finding: { evidence: { count: 7, most: 60 } } },
    ]);
  });

  test("a poison event lasts while some of it waits, and ends where it is delivered", async () => {
    const endpoints = [mine, ...(await Promise.all([1, 2].map(() => sibling())))];
    for (const { id } of endpoints) {
      await addDeadLetters(db.pool, { ...mine, endpointId: id, count: 1, reason: "payload_refused" });
      await db.pool.query(
        `insert into posthorn.endpoint_latency (endpoint_id, worker_id, resolution, bucket_at, attempts, delivered, buckets, counts)
         values ($1, 1, 'hour', date_trunc('hour', now()), 10, 9, '{1}', '{10}')`,
        [id],
      );
    }
    await db.pool.query("update posthorn.deliveries set event_id = 'poisoned'");
    const put = (state: string, endpoint: number) =>
      db.pool.query(`update posthorn.deliveries set state = '${state}' where endpoint_id = $1`, [
        endpoints[endpoint]?.id,
      ]);
    const look = async () =>
      (await diagnoseDeadLetters(db.pool)).map(({ kind, state }) => `${kind} ${state}`);
    await put("pending", 0);
    expect(await look()).toEqual([]);
    await put("dead_letter", 0);
    expect(await look()).toEqual(["poison opened"]);
    await put("pending", 0);
    await put("failed", 1);
    expect(await look()).toEqual([]);
    expect(await alerts()).toMatchObject([
      { state: "open", count: 1, finding: { evidence: { count: 1, most: 3 } } },
    ]);
    await put("delivered", 0);
    expect(await look()).toEqual(["poison ended"]);
  });

  test("what is older than what could be put back says nothing, nor does a deleted endpoint's", async () => {
    await addDeadLetters(db.pool, {
      endpointId: mine.id,
      affiliateId: mine.affiliateId,
      count: 9,
      reason: "unauthorized",
      agoHours: 31 * 24,
    });
    const deleted = await createEndpoint(db.pool, { url: "http://127.0.0.1:9/" });
    await addDeadLetters(db.pool, {
      endpointId: deleted.id,
      affiliateId: deleted.affiliateId,
      count: 9,
      reason: "unauthorized",
    });
    await db.pool.query("update posthorn.endpoints set deleted_at = now() where id = $1", [deleted.id]);
    expect(await diagnoseDeadLetters(db.pool)).toEqual([]);
  });

  test("a worker that dies while it looks leaves the next one free to", async () => {
    await of(6);
    const client = await db.pool.connect();
    await client.query("begin");
    await client.query("select pg_advisory_xact_lock(hashtextextended('posthorn.diagnosis', 0))");
    expect(await diagnoseDeadLetters(db.pool)).toEqual([]);
    client.release(true);
    await eventually(async () => (await diagnoseDeadLetters(db.pool)).length === 1);
  });
});
