import { setTimeout as sleep } from "node:timers/promises";
import { Webhook } from "standardwebhooks";
import { beforeAll, beforeEach, describe, expect, test } from "vitest";
import { validSecrets } from "#lib/delivery/signature.ts";
import type { ClaimedRow } from "#lib/queue/claim.ts";
import { loadForSending } from "#lib/queue/load.ts";
import { setUpApi } from "#test/helpers/api.ts";
import { createEndpoint, publish } from "#test/helpers/factories.ts";
import { type ReceivedRequest, type Receiver, startReceiver } from "#test/helpers/receiver.ts";
import { passTime } from "#test/helpers/time.ts";
import { startWorker, waitForState } from "#test/helpers/workers.ts";
import { POST as consoleRotate } from "../../app/api/console/endpoints/[id]/rotate-secret/route.ts";
import { DELETE as consoleRevoke } from "../../app/api/console/endpoints/[id]/secrets/[secretId]/route.ts";
import { GET as consoleSecrets } from "../../app/api/console/endpoints/[id]/secrets/route.ts";
import * as affiliates from "../../app/api/v1/affiliates/route.ts";
import { POST as revealSecret } from "../../app/api/v1/endpoints/[id]/reveal-secret/route.ts";
import { POST as rotateSecret } from "../../app/api/v1/endpoints/[id]/rotate-secret/route.ts";
import * as endpoint from "../../app/api/v1/endpoints/[id]/route.ts";
import { DELETE as revokeSecret } from "../../app/api/v1/endpoints/[id]/secrets/[secretId]/route.ts";
import { GET as secrets } from "../../app/api/v1/endpoints/[id]/secrets/route.ts";
import * as endpoints from "../../app/api/v1/endpoints/route.ts";

const api = setUpApi();
const hour = 3_600_000;
const nowhere = "01890a5d-ac96-774b-bcce-b302099a8057";
let made = 0;
let affiliate = "";
let id = "";
let first = "";

async function make(url = "https://example.com/hook"): Promise<void> {
  made += 1;
  affiliate = `owner-${made}`;
  await api.call(affiliates.POST, { body: { key: affiliate, name: affiliate } });
  const { body } = await api.call(endpoints.POST, { body: { affiliate, name: "Orders", url } });
  [id, first] = [body.id, body.secret];
}

const rotate = (body: unknown = {}) => api.call(rotateSecret, { params: { id }, body });
const revoke = (secretId: string) => api.call(revokeSecret, { method: "DELETE", params: { id, secretId } });
const list = async () => (await api.call(secrets, { params: { id } })).body.data;

async function lastAudit() {
  const { rows } = await api.database.pool.query(
    "select action, before, after from posthorn.audit_log where object_id = $1 order by id desc limit 1",
    [id],
  );
  return rows[0];
}

/** Lets one secret's overlap end. */
async function expire(secretId: string) {
  await api.database.pool.query("update posthorn.endpoint_secrets set expires_at = now() where id = $1", [
    secretId,
  ]);
}

beforeEach(() => make());

describe("rotating", () => {
  test("shows the new secret this once, and gives the one before it a day", async () => {
    const rotated = await rotate();
    expect(rotated).toMatchObject({ status: 200, body: { expires_at: null } });
    expect(rotated.body.secret).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/);
    expect(rotated.body.secret).not.toBe(first);
    const listed = await list();
    expect(listed).toEqual([
      { id: rotated.body.id, created_at: rotated.body.created_at, expires_at: null },
      { id: expect.any(String), created_at: expect.any(String), expires_at: expect.any(String) },
    ]);
    const leftMs = Date.parse(listed[1].expires_at) - Date.parse(rotated.body.created_at);
    expect(Math.abs(leftMs - 24 * hour)).toBeLessThan(5_000);
    expect(await api.call(revealSecret, { params: { id }, body: { reason: "x" } })).toMatchObject({
      body: { secret: rotated.body.secret },
    });
  });

  test("is recorded, without a value", async () => {
    const { body } = await rotate({ overlap_hours: 1 });
    const line = await lastAudit();
    expect(line).toEqual({
      action: "endpoint.rotate_secret",
      before: null,
      after: { secret_id: body.id, overlap_hours: 1 },
    });
  });

  test("with an overlap of 0 ends the one before at once", async () => {
    const { body } = await rotate({ overlap_hours: 0 });
    expect(await list()).toEqual([{ id: body.id, created_at: body.created_at, expires_at: null }]);
  });

  test("keeps five at once; a sixth is refused and changes nothing", async () => {
    for (let round = 0; round < 4; round += 1) expect((await rotate()).status).toBe(200);
    const before = await list();
    expect(before).toHaveLength(5);
    expect(await rotate()).toMatchObject({ status: 409, body: { code: "too_many_secrets" } });
    expect(await list()).toEqual(before);
    // Where the current one ends at once, the new one is not the sixth.
    expect(await rotate({ overlap_hours: 0 })).toMatchObject({ status: 200 });
    expect(await list()).toHaveLength(5);
    await revoke(before[4].id);
    expect(await rotate()).toMatchObject({ status: 200 });
  });

  test("by many at once leaves five, of which one is current", async () => {
    const answers = await Promise.all(Array.from({ length: 8 }, () => rotate()));
    expect(answers.filter((answer) => answer.status === 200)).toHaveLength(4);
    const listed = await list();
    expect(listed).toHaveLength(5);
    expect(listed.map((secret: { expires_at: string | null }) => secret.expires_at === null)).toEqual([
      true,
      false,
      false,
      false,
      false,
    ]);
  });

  test.each([
    [{ overlap_hours: -1 }, "overlap_hours"],
    [{ overlap_hours: 169 }, "overlap_hours"],
    [{ overlap_hours: 1.5 }, "overlap_hours"],
    [{ overlap_hours: "24" }, "overlap_hours"],
    [{ secret: "whsec_x" }, "secret"],
    [[], "body"],
  ])("%j is refused", async (body, field) => {
    expect(await rotate(body)).toMatchObject({ status: 422, body: { errors: [{ field }] } });
    expect(await list()).toHaveLength(1);
  });
});

describe("revoking", () => {
  test("ends one at once, for good", async () => {
    const [{ id: old }] = await list();
    await rotate();
    expect((await revoke(old)).status).toBe(204);
    expect(await list()).toHaveLength(1);
    expect(await lastAudit()).toEqual({
      action: "endpoint.revoke_secret",
      before: { secret_id: old },
      after: null,
    });
    expect((await revoke(old)).status).toBe(404);
  });

  test("is refused for the current one, or nothing would sign in the end", async () => {
    const [{ id: only }] = await list();
    expect(await revoke(only)).toMatchObject({ status: 409, body: { code: "current_secret" } });
    const { body } = await rotate();
    expect(await revoke(body.id)).toMatchObject({ status: 409, body: { code: "current_secret" } });
    expect(await list()).toHaveLength(2);
  });

  test("finds no secret of another endpoint, and none that has expired", async () => {
    const [{ id: old }] = await list();
    await rotate();
    await expire(old);
    expect((await revoke(old)).status).toBe(404);
    await make();
    await rotate();
    expect((await revoke(old)).status).toBe(404);
    expect((await revoke(nowhere)).status).toBe(404);
    expect((await revoke("1")).status).toBe(404);
  });
});

test("what was deleted is not found", async () => {
  const [{ id: secretId }] = await list();
  await api.call(endpoint.DELETE, { method: "DELETE", params: { id } });
  expect((await rotate()).status).toBe(404);
  expect((await revoke(secretId)).status).toBe(404);
  expect((await api.call(secrets, { params: { id } })).status).toBe(404);
});

test("the console does the same", async () => {
  const headers = { authorization: null };
  const [{ id: secretId }] = await list();
  expect(await api.call(consoleRotate, { headers, params: { id }, body: {} })).toMatchObject({ status: 200 });
  expect((await api.call(consoleSecrets, { headers, params: { id } })).body.data).toHaveLength(2);
  const revoked = await api.call(consoleRevoke, { method: "DELETE", headers, params: { id, secretId } });
  expect(revoked.status).toBe(204);
});

test("the claim loads those that the delivery core says are valid", async () => {
  const { pool } = api.database;
  const { rows: times } = await pool.query(
    "select floor(extract(epoch from now()) * 1000)::float8 as now_ms",
  );
  const nowMs: number = times[0].now_ms;
  const minute = 60_000;
  const ends = [null, null, -minute, minute, 5 * minute];
  for (let round = 0; round < 8; round += 1) {
    const { id: endpointId } = await createEndpoint(pool, { url: "https://example.com/" });
    for (let n = 1; n <= 3 * round; n += 1) {
      const end = ends[(n * 7 + round * 3) % ends.length] ?? null;
      const at = (ms: number | null) => (ms === null ? null : new Date(nowMs + ms));
      const revoked = n % 3 === 0 ? -n * 1_000 : null;
      await pool.query(
        `insert into posthorn.endpoint_secrets (id, endpoint_id, ciphertext, created_at, expires_at, revoked_at)
         values (gen_random_uuid(), $1, '', $2, $3, $4)`,
        [endpointId, at(-n * minute), at(end), at(revoked)],
      );
    }
    const { rows } = await pool.query("select * from posthorn.endpoint_secrets where endpoint_id = $1", [
      endpointId,
    ]);
    const terms = rows.map((row) => ({
      id: row.id as string,
      createdAtMs: row.created_at.getTime(),
      expiresAtMs: row.expires_at?.getTime() ?? null,
      revokedAtMs: row.revoked_at?.getTime() ?? null,
    }));
    const claimed = { endpointId, eventId: "none", eventDay: 20_000 } as ClaimedRow;
    const loaded = (await loadForSending(pool, [claimed])).endpoints.get(endpointId);
    expect(loaded?.secrets.map((secret) => secret.id)).toEqual(
      validSecrets(terms, nowMs).map((term) => term.id),
    );
  }
});

describe("case 17", () => {
  let receiver: Receiver;
  beforeAll(async () => {
    receiver = await startReceiver();
    return () => receiver.close();
  });

  const headersOf = (request: ReceivedRequest): Record<string, string> =>
    Object.fromEntries(
      request.headers.flatMap((name, i) =>
        i % 2 === 0 ? [[name.toLowerCase(), request.headers[i + 1] as string]] : [],
      ),
    );
  const verifies = (request: ReceivedRequest, secret: string): boolean => {
    try {
      new Webhook(secret).verify(request.body.toString(), headersOf(request));
      return true;
    } catch {
      return false;
    }
  };

  test("rotated twice within an hour: three valid signatures until each expires on its own clock, then one", async () => {
    await make(receiver.url("/rotated"));
    const [{ id: firstId }] = await list();
    const { body: second } = await rotate({ overlap_hours: 24 });
    const { body: third } = await rotate({ overlap_hours: 1 });
    await startWorker(api.database.url);
    const all = [third.secret, second.secret, first];
    let sent = 0;
    const next = async () => {
      sent += 1;
      await publish(api.database.pool, { affiliate, data: '{"text":"é 😀"}' });
      return (await receiver.waitFor("/rotated", sent))[sent - 1] as ReceivedRequest;
    };
    const valid = (request: ReceivedRequest) => all.filter((secret) => verifies(request, secret));
    const signatures = (request: ReceivedRequest) =>
      headersOf(request)["webhook-signature"]?.split(" ") ?? [];

    const three = await next();
    expect(signatures(three)).toHaveLength(3);
    expect(valid(three)).toEqual(all);
    // The first signature is the newest secret's.
    const newestOnly = new Webhook(third.secret).sign(
      headersOf(three)["webhook-id"] as string,
      new Date(Number(headersOf(three)["webhook-timestamp"]) * 1_000),
      three.body.toString(),
    );
    expect(signatures(three)[0]).toBe(newestOnly);

    // The second was given an hour, the first a day: the second ends before the first.
    await expire(second.id);
    const two = await next();
    expect(signatures(two)).toHaveLength(2);
    expect(valid(two)).toEqual([third.secret, first]);
    await expire(firstId);
    const one = await next();
    expect(signatures(one)).toHaveLength(1);
    expect(valid(one)).toEqual([third.secret]);
  });

  test("a retry three hours later: same id, new timestamp, new signature", async () => {
    await make(receiver.url("/retried"));
    receiver.script("/retried", { status: 500 }, {});
    const retry = { max_attempts: 2, base_seconds: 3_600, cap_seconds: 86_400 };
    await api.call(endpoint.PATCH, { method: "PATCH", params: { id }, body: { retry } });
    await startWorker(api.database.url);
    const eventId = await publish(api.database.pool, { affiliate });
    await waitForState(api.database.pool, "failed", 1);
    const { body: rotated } = await rotate({ overlap_hours: 0 });
    await sleep(1_100);
    await passTime(api.database.pool, 3 * 3_600);
    const [before, after] = await receiver.waitFor("/retried", 2, 15_000);
    const [one, two] = [before, after].map((request) => headersOf(request as ReceivedRequest));
    expect([one?.["webhook-id"], two?.["webhook-id"]]).toEqual([eventId, eventId]);
    expect(Number(two?.["webhook-timestamp"])).toBeGreaterThan(Number(one?.["webhook-timestamp"]));
    expect(two?.["webhook-signature"]).not.toBe(one?.["webhook-signature"]);
    expect(verifies(before as ReceivedRequest, first)).toBe(true);
    expect(verifies(after as ReceivedRequest, rotated.secret)).toBe(true);
    expect(verifies(after as ReceivedRequest, first)).toBe(false);
  });
});
