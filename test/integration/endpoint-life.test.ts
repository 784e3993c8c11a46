import { beforeEach, describe, expect, test } from "vitest";
import { reencryptSecrets } from "#lib/endpoints/reencrypt.ts";
import { actOnSignal } from "#lib/queue/disable.ts";
import { fanOut } from "#lib/queue/fan-out.ts";
import type { Settled } from "#lib/queue/settle.ts";
import { decryptSecret, formatSigningSecret } from "#lib/secrets.ts";
import {
  createEndpoint,
  fanOutOptions,
  publish,
  publishMany,
  type TestEndpoint,
  testSecretKey,
} from "#test/helpers/factories.ts";
import { createTestQueue, type TestQueue } from "#test/helpers/queue.ts";
import { failed, gone } from "#test/helpers/settlements.ts";
import { passTime } from "#test/helpers/time.ts";

let { db, take, settleAll } = {} as TestQueue;

beforeEach(async () => {
  ({ db, take, settleAll } = await createTestQueue());
});

async function endpointWith(count: number, options: Partial<Parameters<typeof createEndpoint>[1]> = {}) {
  const endpoint = await createEndpoint(db.pool, { url: "http://127.0.0.1:9/", baseSeconds: 1, ...options });
  await publishMany(db.pool, { affiliate: endpoint.affiliateKey, count });
  while ((await fanOut(db.pool, fanOutOptions)) > 0);
  return endpoint;
}

async function health(endpoint: TestEndpoint) {
  const { rows } = await db.pool.query(
    `select *, extract(epoch from ready_at - now())::float8 as ready_in from posthorn.endpoint_health where endpoint_id = $1`,
    [endpoint.id],
  );
  return rows[0];
}

describe("cases 13 and 22: disabling", () => {
  const status = async (endpoint: TestEndpoint) =>
    (
      await db.pool.query("select status, status_changed_by from posthorn.endpoints where id = $1", [
        endpoint.id,
      ])
    ).rows[0];
  const audit = async (endpoint: TestEndpoint) =>
    (
      await db.pool.query("select action, after from posthorn.audit_log where object_id = $1 order by id", [
        endpoint.id,
      ])
    ).rows;
  const act = async ({ signals }: Settled) => {
    for (const signal of signals) await actOnSignal(db.pool, signal);
    return signals;
  };

  /** Makes the audit log refuse every row while `during` runs. */
  const withoutAudit = async (during: () => Promise<unknown>) => {
    await db.pool.query("alter table posthorn.audit_log add constraint refused check (false) not valid");
    await during();
    await db.pool.query("alter table posthorn.audit_log drop constraint refused");
  };

  test("case 13: a 410 that could not disable its endpoint is settled again, and does so then", async () => {
    const endpoint = await endpointWith(3);
    const rows = await take({ want: 1 });
    await withoutAudit(() => expect(settleAll(rows, gone)).rejects.toThrow("refused"));
    expect((await status(endpoint)).status).toBe("active");
    expect(await settleAll(rows, gone)).toMatchObject({ moved: 1, stopped: [endpoint.id] });
    expect((await status(endpoint)).status).toBe("disabled");
    expect(await audit(endpoint)).toHaveLength(1);
    expect(await health(endpoint)).toMatchObject({ in_flight: 0, failing_since: null });
  });

  test("case 22: a warning or disabling that could not be done is asked for again by the next failure", async () => {
    const endpoint = await endpointWith(40, { maxAttempts: 30 });
    await settleAll(await take({ want: 2 }), failed);
    const seen: string[] = [];
    for (const days of [1, 5]) {
      await db.pool.query(
        "update posthorn.endpoint_health set failing_since = now() - $1 * interval '1 day', failing_attempts = 10",
        [days],
      );
      const asked = await settleAll(await take({ want: 1 }), failed);
      await withoutAudit(() => expect(act(asked)).rejects.toThrow("refused"));
      const again = await settleAll(await take({ want: 1 }), failed);
      // Both ask, at once and one after the other; it is done once.
      await Promise.all([act(asked), act(again)]);
      await act(again);
      seen.push(...[...asked.signals, ...again.signals].map(({ signal }) => `${signal.kind} ${signal.days}`));
    }
    expect(seen).toEqual(["warn 1", "warn 1", "disable 5", "disable 5"]);
    expect((await audit(endpoint)).map(({ action }) => action)).toEqual([
      "endpoint.warn_failing",
      "endpoint.disable",
    ]);
  });

  test("a warning is not given when a success came in between", async () => {
    const endpoint = await endpointWith(5);
    await settleAll(await take({ want: 1 }), failed);
    await db.pool.query("update posthorn.endpoint_health set failing_since = now() - interval '1 day'");
    const asked = await settleAll(await take({ want: 1 }), failed);
    expect(asked.signals).toHaveLength(1);
    await settleAll(await take({ want: 1 }));
    await act(asked);
    expect(await audit(endpoint)).toEqual([]);
    expect(await health(endpoint)).toMatchObject({ warned_days: 0, failing_since: null });
  });

  test("case 13: 410 to many at once: the endpoint is disabled once, and what waits is held", async () => {
    const endpoint = await endpointWith(10);
    const taken = [await take({ want: 2 }), await take({ want: 2 })];
    const answers = await Promise.all(taken.map((rows) => settleAll(rows, gone)));
    expect(answers.map(({ stopped }) => stopped)).toEqual([[endpoint.id], [endpoint.id]]);
    expect(await status(endpoint)).toEqual({ status: "disabled", status_changed_by: "Posthorn" });
    expect(await audit(endpoint)).toEqual([
      { action: "endpoint.disable", after: { status: "disabled", reason: "gone" } },
    ]);
    expect(await take()).toEqual([]);
  });

  test("case 22: two events a day, all failing: warned after 1 and 3 days, disabled after 5", async () => {
    const endpoint = await endpointWith(40, { maxAttempts: 30 });
    const seen: string[] = [];
    for (let day = 0; day <= 5; day++) {
      for (const signal of await act(await settleAll(await take({ want: 2 }), failed))) {
        seen.push(`day ${day}: ${signal.signal.kind}`);
      }
      await passTime(db.pool, 300);
      await db.pool.query(
        "update posthorn.endpoint_health set failing_since = failing_since - interval '1 day'",
      );
    }
    expect(seen).toEqual(["day 1: warn", "day 3: warn", "day 5: disable"]);
    expect((await status(endpoint)).status).toBe("disabled");
  });

  test("one success ends the row", async () => {
    const endpoint = await endpointWith(10);
    await settleAll(await take({ want: 2 }), failed);
    await settleAll(await take({ want: 1 }));
    expect(await health(endpoint)).toMatchObject({ failing_since: null, failing_attempts: 0 });
  });
});

describe("case 26: catching up", () => {
  test("505 that were held for a day go out in order and throttled, and then the throttle ends", async () => {
    const endpoint = await endpointWith(505, { concurrency: 64 });
    await passTime(db.pool, 86_400);
    await db.pool.query("update posthorn.endpoint_health set catching_up = true where endpoint_id = $1", [
      endpoint.id,
    ]);
    const ids: number[] = [];
    const sizes: number[] = [];
    while (sizes.at(-1) !== 0 && sizes.length < 60) {
      const rows = await take();
      sizes.push(rows.length);
      // Those of one claim are on the wire together.
      ids.push(...rows.map((row) => Number(row.id)).sort((a, b) => a - b));
      await settleAll(rows);
      await passTime(db.pool, 1);
    }
    expect(sizes).toEqual([...Array(50).fill(10), 5, 0]);
    expect(ids).toEqual(ids.toSorted((a, b) => a - b));
    expect(await health(endpoint)).toMatchObject({ catching_up: false });
  });
});

describe("case 26: catching up in order", () => {
  test("five keys of eight are throttled to the end, though at most five may go at once", async () => {
    const endpoint = await createEndpoint(db.pool, { url: "http://127.0.0.1:9/", ordering: "per_key" });
    for (let i = 0; i < 40; i++) {
      await publish(db.pool, { affiliate: endpoint.affiliateKey, orderingKey: `key-${i % 5}` });
    }
    while ((await fanOut(db.pool, fanOutOptions)) > 0);
    await db.pool.query("update posthorn.endpoint_health set catching_up = true where endpoint_id = $1", [
      endpoint.id,
    ]);
    await db.pool.query("update posthorn.endpoints set status_changed_at = now() where id = $1", [
      endpoint.id,
    ]);
    // What comes after the resume is no part of what is caught up with.
    await publish(db.pool, { affiliate: endpoint.affiliateKey, orderingKey: "key-0" });
    await fanOut(db.pool, fanOutOptions);
    const sizes: number[] = [];
    const throttled: boolean[] = [];
    const startedAt = performance.now();
    while (sizes.length < 4) {
      const rows = await take();
      sizes.push(rows.length);
      await settleAll(rows);
      throttled.push((await health(endpoint)).catching_up);
    }
    // The burst of ten, and then what the time that it took gives, ten a second, whatever the five keys would allow.
    const seconds = (performance.now() - startedAt) / 1_000;
    expect(sizes.slice(0, 2)).toEqual([5, 5]);
    expect(sizes.reduce((sum, size) => sum + size, 0)).toBeLessThanOrEqual(10 + Math.ceil(10 * seconds));
    expect(throttled).toEqual([true, true, true, true]);
  });

  test("ends when nothing is left from before the resume", async () => {
    const endpoint = await createEndpoint(db.pool, { url: "http://127.0.0.1:9/", ordering: "per_key" });
    for (let i = 0; i < 4; i++)
      await publish(db.pool, { affiliate: endpoint.affiliateKey, orderingKey: "key" });
    await fanOut(db.pool, fanOutOptions);
    await db.pool.query("update posthorn.endpoint_health set catching_up = true where endpoint_id = $1", [
      endpoint.id,
    ]);
    await db.pool.query("update posthorn.endpoints set status_changed_at = now() where id = $1", [
      endpoint.id,
    ]);
    const throttled: boolean[] = [];
    for (let i = 0; i < 4; i++) {
      await settleAll(await take());
      throttled.push((await health(endpoint)).catching_up);
    }
    expect(throttled).toEqual([true, true, true, false]);
  });
});

describe("the key that secrets are encrypted with", () => {
  test("can be changed: workers encrypt anew, and the old key may then go", async () => {
    const endpoint = await createEndpoint(db.pool, { url: "http://127.0.0.1:9/" });
    const [current, old] = [Buffer.alloc(32, 9), testSecretKey];
    expect(await reencryptSecrets(db.pool, [current, old])).toBe(1);
    expect(await reencryptSecrets(db.pool, [current, old])).toBe(0);
    const { rows } = await db.pool.query("select id, ciphertext from posthorn.endpoint_secrets");
    const plain = decryptSecret(rows[0].ciphertext, { keys: [current], context: rows[0].id });
    expect(formatSigningSecret(plain)).toBe(endpoint.secret);
  });
});
