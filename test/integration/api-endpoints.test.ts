import { beforeAll, describe, expect, test } from "vitest";
import { decryptSecret, formatSigningSecret } from "#lib/secrets.ts";
import { type Answer, setUpApi } from "#test/helpers/api.ts";
import { POST as consolePause } from "../../app/api/console/endpoints/[id]/pause/route.ts";
import * as consoleEndpoint from "../../app/api/console/endpoints/[id]/route.ts";
import * as consoleEndpoints from "../../app/api/console/endpoints/route.ts";
import * as affiliate from "../../app/api/v1/affiliates/[key]/route.ts";
import * as affiliates from "../../app/api/v1/affiliates/route.ts";
import { POST as pause } from "../../app/api/v1/endpoints/[id]/pause/route.ts";
import { POST as resume } from "../../app/api/v1/endpoints/[id]/resume/route.ts";
import { POST as revealSecret } from "../../app/api/v1/endpoints/[id]/reveal-secret/route.ts";
import * as endpoint from "../../app/api/v1/endpoints/[id]/route.ts";
import * as endpoints from "../../app/api/v1/endpoints/route.ts";
import * as eventType from "../../app/api/v1/event-types/[name]/route.ts";
import * as eventTypes from "../../app/api/v1/event-types/route.ts";

const api = setUpApi();
const sound = { affiliate: "acme", name: "Orders", url: "https://example.com/hook" };
const nowhere = "01890a5d-ac96-774b-bcce-b302099a8057";

beforeAll(async () => {
  await api.call(affiliates.POST, { body: { key: "acme", name: "Acme" } });
  await api.call(affiliates.POST, { body: { key: "other", name: "Other" } });
});

async function make(
  fields: Record<string, unknown> = {},
): Promise<{ id: string; secret: string } & Answer["body"]> {
  const made = await api.call(endpoints.POST, { body: { ...sound, ...fields } });
  expect(made.status).toBe(201);
  return made.body;
}

async function row(id: string) {
  const { rows } = await api.database.pool.query(
    `select e.*, h.ready_at, h.ready_at <= now() as is_ready from posthorn.endpoints e
     join posthorn.endpoint_health h on h.endpoint_id = e.id where e.id = $1`,
    [id],
  );
  return rows[0];
}

async function auditOf(id: string) {
  const { rows } = await api.database.pool.query(
    "select action, actor_kind, affiliate_id, before, after from posthorn.audit_log where object_id = $1 order by id",
    [id],
  );
  return rows;
}

describe("making one", () => {
  test("fills in the defaults, and shows the secret this once", async () => {
    const made = await make();
    expect(made).toMatchObject({
      affiliate: { key: "acme", name: "Acme" },
      kind: "webhook",
      name: "Orders",
      url: "https://example.com/hook",
      event_types: null,
      status: "active",
      status_changed_by: "First key",
      timeout_ms: 15_000,
      retry: { max_attempts: 5, base_seconds: 30, cap_seconds: 3_600 },
      concurrency: 16,
      ordering: "none",
      health: { in_flight: 0, consecutive_failures: 0, last_success_at: null, latency: null },
    });
    expect(made.id).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-7/);
    expect(made.secret).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/);
    expect(await row(made.id)).toMatchObject({ is_ready: true });

    const got = await api.call(endpoint.GET, { params: { id: made.id } });
    const { secret: _, ...rest } = made;
    expect(got).toMatchObject({ status: 200, body: rest });
    expect(JSON.stringify(got.body)).not.toContain("whsec");
    expect(got.body.backlog).toEqual({
      waiting: 0,
      awaiting_retry: 0,
      blocked: 0,
      dead_letters: 0,
      oldest_waiting_at: null,
      counted_to: 10_000,
    });
  });

  test("keeps the secret encrypted, for its own row only, and out of the audit log", async () => {
    const made = await make();
    const { rows } = await api.database.pool.query(
      "select id, ciphertext from posthorn.endpoint_secrets where endpoint_id = $1",
      [made.id],
    );
    const key = Buffer.from(process.env.POSTHORN_SECRET_KEY as string, "base64");
    expect(formatSigningSecret(decryptSecret(rows[0].ciphertext, { keys: [key], context: rows[0].id }))).toBe(
      made.secret,
    );
    const audit = await auditOf(made.id);
    expect(audit).toMatchObject([
      {
        action: "endpoint.create",
        actor_kind: "api_key",
        before: null,
        after: { name: "Orders", timeout_ms: 15_000 },
      },
    ]);
    expect(JSON.stringify(audit)).not.toContain("whsec");
  });

  test("stores the URL as it will be sent, and each event type once", async () => {
    const made = await make({ url: " HTTPS://EXAMPLE.com:443 ", event_types: ["ftd", "deposit", "ftd"] });
    expect(made).toMatchObject({ url: "https://example.com/", event_types: ["ftd", "deposit"] });
  });

  test.each([
    [{ affiliate: "nobody" }, "affiliate"],
    [{ affiliate: undefined }, "affiliate"],
    [{ name: "" }, "name"],
    [{ name: "a\0" }, "name"],
    [{ url: "not a url" }, "url"],
    [{ url: "ftp://example.com/" }, "url"],
    [{ url: "https://user:pass@example.com/" }, "url"],
    [{ url: "http://169.254.169.254/latest" }, "url"],
    [{ url: "http://10.0.0.5/" }, "url"],
    [{ url: `https://example.com/${"x".repeat(2_048)}` }, "url"],
    [{ event_types: [] }, "event_types"],
    [{ event_types: ["ftd", "nothing.such"] }, "event_types.1"],
    [{ event_types: ["ftd", 7] }, "event_types.1"],
    [{ timeout_ms: 999 }, "timeout_ms"],
    [{ timeout_ms: "15000" }, "timeout_ms"],
    [{ retry: { max_attempts: 31, base_seconds: 1, cap_seconds: 1 } }, "retry.max_attempts"],
    [{ retry: { max_attempts: 3, base_seconds: 60, cap_seconds: 1 } }, "retry.cap_seconds"],
    [{ retry: "quick" }, "retry"],
    [{ concurrency: 0 }, "concurrency"],
    [{ ordering: "fifo" }, "ordering"],
    [{ secret: "whsec_x" }, "secret"],
  ])("%j is refused", async (fields, field) => {
    const answer = await api.call(endpoints.POST, { body: { ...sound, ...fields } });
    expect(answer).toMatchObject({
      status: 422,
      body: { errors: expect.arrayContaining([expect.objectContaining({ field })]) },
    });
  });

  test("nothing half-done remains of a refused one", async () => {
    const count = async () =>
      (await api.database.pool.query("select count(*) from posthorn.endpoints")).rows[0].count as string;
    const before = await count();
    await api.call(endpoints.POST, { body: { ...sound, event_types: ["nothing.such"] } });
    expect(await count()).toBe(before);
  });
});

describe("what an endpoint is made of", () => {
  test("cannot be deleted while the endpoint is being made", async () => {
    for (let round = 0; round < 15; round += 1) {
      const [key, name] = [`racer-${round}`, `race.type_${round}`];
      await api.call(affiliates.POST, { body: { key, name: key } });
      await api.call(eventTypes.POST, { body: { name } });
      const [made, affiliateGone, typeGone] = await Promise.all([
        api.call(endpoints.POST, { body: { ...sound, affiliate: key, event_types: [name] } }),
        api.call(affiliate.DELETE, { method: "DELETE", params: { key } }),
        api.call(eventType.DELETE, { method: "DELETE", params: { name } }),
      ]);
      const removals = [affiliateGone.status, typeGone.status];
      if (made.status === 201) expect(removals).toEqual([409, 409]);
      else
        expect({ made: made.status, removals }).toEqual({
          made: 422,
          removals: expect.arrayContaining([204]),
        });
    }
  });
});

describe("editing one", () => {
  test("changes what is given, and the audit log tells just that", async () => {
    const { id } = await make();
    const retry = { max_attempts: 3, base_seconds: 1, cap_seconds: 2 };
    const ordering = "per_key";
    const body = { url: "http://127.0.0.1:9000/x", retry, event_types: ["ftd"], name: "Orders", ordering };
    const edited = await api.call(endpoint.PATCH, { method: "PATCH", params: { id }, body });
    expect(edited).toMatchObject({ status: 200, body: { ...body, timeout_ms: 15_000 } });
    expect(await row(id)).toMatchObject({ max_attempts: 3, backoff_base_seconds: 1, backoff_cap_seconds: 2 });
    const [, line] = await auditOf(id);
    expect(line).toMatchObject({ action: "endpoint.edit", affiliate_id: edited.body.affiliate.id });
    expect(line.before).toEqual({
      url: sound.url,
      event_types: null,
      retry: { max_attempts: 5, base_seconds: 30, cap_seconds: 3_600 },
      ordering: "none",
    });
    expect(line.after).toEqual({ url: body.url, event_types: ["ftd"], retry, ordering });
  });

  test.each([
    [{}, "body"],
    [{ affiliate: "other" }, "affiliate"],
    [{ status: "paused" }, "status"],
    [{ url: "http://10.0.0.5/" }, "url"],
    [{ event_types: ["nothing.such"] }, "event_types.0"],
    [{ retry: { max_attempts: 3 } }, "retry.base_seconds"],
  ])("%j is refused", async (body, field) => {
    const { id } = await make();
    const answer = await api.call(endpoint.PATCH, { method: "PATCH", params: { id }, body });
    expect(answer).toMatchObject({
      status: 422,
      body: { errors: expect.arrayContaining([expect.objectContaining({ field })]) },
    });
    expect(await auditOf(id)).toHaveLength(1);
  });
});

describe("pausing and resuming", () => {
  test("close and open the gate that claims read", async () => {
    const { id } = await make();
    const paused = await api.call(pause, { method: "POST", params: { id } });
    expect(paused).toMatchObject({ status: 200, body: { status: "paused", status_changed_by: "First key" } });
    expect(await row(id)).toMatchObject({ ready_at: Number.POSITIVE_INFINITY });
    expect(await api.call(pause, { method: "POST", params: { id } })).toMatchObject({
      status: 409,
      body: { code: "wrong_status" },
    });
    expect(await api.call(resume, { method: "POST", params: { id } })).toMatchObject({
      body: { status: "active" },
    });
    expect(await row(id)).toMatchObject({ is_ready: true });
    expect(await api.call(resume, { method: "POST", params: { id } })).toMatchObject({ status: 409 });
    expect(await auditOf(id)).toMatchObject([
      { action: "endpoint.create" },
      { action: "endpoint.pause", before: { status: "active" }, after: { status: "paused" } },
      { action: "endpoint.resume", before: { status: "paused" }, after: { status: "active" } },
    ]);
  });

  test("of many who pause at once, one does", async () => {
    const { id } = await make();
    const answers = await Promise.all(
      Array.from({ length: 8 }, () => api.call(pause, { method: "POST", params: { id } })),
    );
    expect(answers.filter((answer) => answer.status === 200)).toHaveLength(1);
    expect(answers.filter((answer) => answer.status === 409)).toHaveLength(7);
    expect(await auditOf(id)).toHaveLength(2);
  });

  test("one that was disabled can be resumed, not paused", async () => {
    const { id } = await make();
    await api.database.pool.query("update posthorn.endpoints set status = 'disabled' where id = $1", [id]);
    expect(await api.call(pause, { method: "POST", params: { id } })).toMatchObject({ status: 409 });
    expect(await api.call(resume, { method: "POST", params: { id } })).toMatchObject({
      body: { status: "active" },
    });
  });
});

describe("deleting one", () => {
  test("hides it, closes its gate and keeps its row", async () => {
    const { id } = await make();
    expect(await api.call(endpoint.DELETE, { method: "DELETE", params: { id } })).toMatchObject({
      status: 204,
      body: null,
    });
    expect(await row(id)).toMatchObject({ deleted_at: expect.any(Date), ready_at: Number.POSITIVE_INFINITY });
    for (const [handler, call] of [
      [endpoint.GET, {}],
      [endpoint.DELETE, { method: "DELETE" }],
      [endpoint.PATCH, { method: "PATCH", body: { name: "x" } }],
      [pause, { method: "POST" }],
      [resume, { method: "POST" }],
      [revealSecret, { method: "POST", body: { reason: "x" } }],
    ] as const) {
      expect(await api.call(handler, { ...call, params: { id } })).toMatchObject({ status: 404 });
      expect(await api.call(handler, { ...call, params: { id: nowhere } })).toMatchObject({ status: 404 });
      expect(await api.call(handler, { ...call, params: { id: "1 or 1=1" } })).toMatchObject({ status: 404 });
    }
    expect((await auditOf(id)).map((line) => line.action)).toEqual(["endpoint.create", "endpoint.delete"]);
    const { body } = await api.call(endpoints.GET, { query: { limit: "100" } });
    expect(body.data.map((listed: { id: string }) => listed.id)).not.toContain(id);
  });
});

describe("revealing its secret", () => {
  test("needs a reason, which is recorded", async () => {
    const { id, secret } = await make();
    const reveal = (body: unknown) => api.call(revealSecret, { params: { id }, body });
    for (const body of [{}, { reason: " " }, { reason: "x".repeat(501) }, { reason: 1 }]) {
      expect(await reveal(body)).toMatchObject({ status: 422, body: { errors: [{ field: "reason" }] } });
    }
    const revealed = await reveal({ reason: "The partner lost it" });
    expect(revealed).toMatchObject({ status: 200, body: { secret } });
    expect(revealed.headers.get("cache-control")).toBe("no-store");
    const [, line, ...more] = await auditOf(id);
    expect(line).toMatchObject({
      action: "endpoint.reveal_secret",
      after: { reason: "The partner lost it" },
    });
    expect(more).toEqual([]);
  });

  test("is an error of ours, told without detail, when the secret cannot be decrypted", async () => {
    const [one, two] = [await make(), await make()];
    await api.database.pool.query(
      `update posthorn.endpoint_secrets s set ciphertext = o.ciphertext from posthorn.endpoint_secrets o
       where s.endpoint_id = $1 and o.endpoint_id = $2`,
      [one.id, two.id],
    );
    const answer = await api.call(revealSecret, { params: { id: one.id }, body: { reason: "x" } });
    expect(answer).toMatchObject({ status: 500, body: { code: "internal_error" } });
    expect(await auditOf(one.id)).toHaveLength(1);
  });
});

describe("listing them", () => {
  test("filters by affiliate, status, health and text", async () => {
    const owned = await make({ affiliate: "other", name: "Fil_ter me" });
    const failing = await make({ affiliate: "other", name: "x", url: "https://example.com/fil_ter" });
    await api.call(pause, { method: "POST", params: { id: owned.id } });
    await api.database.pool.query(
      "update posthorn.endpoint_health set consecutive_failures = 2, last_failure_reason = 'timeout' where endpoint_id = $1",
      [failing.id],
    );
    const ids = async (query: Record<string, string>) =>
      (await api.call(endpoints.GET, { query })).body.data.map((listed: { id: string }) => listed.id);
    expect(await ids({ affiliate: "other" })).toEqual([failing.id, owned.id]);
    expect(await ids({ affiliate: "other", status: "paused" })).toEqual([owned.id]);
    expect(await ids({ failing: "true" })).toEqual([failing.id]);
    expect(await ids({ affiliate: "other", failing: "false" })).toEqual([owned.id]);
    expect(await ids({ q: "FIL_TER" })).toEqual([failing.id, owned.id]);
    expect(await ids({ affiliate: "nobody" })).toEqual([]);
    const picky = await make({ affiliate: "other", event_types: ["ftd", "deposit"] });
    expect(await ids({ affiliate: "other", event_type: "ftd" })).toEqual([picky.id, failing.id, owned.id]);
    expect(await ids({ affiliate: "other", event_type: "qualified" })).toEqual([failing.id, owned.id]);
    for (const [query, field] of [
      [{ status: "broken" }, "status"],
      [{ failing: "perhaps" }, "failing"],
      [{ event_type: "Not one" }, "event_type"],
      [{ affiliate: "a b" }, "affiliate"],
      [{ cursor: "abc" }, "cursor"],
    ] as const) {
      expect(await api.call(endpoints.GET, { query })).toMatchObject({
        status: 422,
        body: { errors: [{ field }] },
      });
    }
  });

  test("pages from the newest on, and back", async () => {
    const first = (await api.call(endpoints.GET, { query: { limit: "3" } })).body;
    const second = (await api.call(endpoints.GET, { query: { limit: "3", cursor: first.next_cursor } })).body;
    const back = (await api.call(endpoints.GET, { query: { limit: "3", cursor: second.previous_cursor } }))
      .body;
    expect(back.data).toEqual(first.data);
    const ids = [...first.data, ...second.data].map((listed: { id: string }) => listed.id);
    expect(ids).toEqual([...ids].sort().reverse());
    expect(new Set(ids).size).toBe(6);
  });
});

describe("the console's routes", () => {
  test("do the same without a key, in the name of who is signed in", async () => {
    const headers = { authorization: null };
    const made = await api.call(consoleEndpoints.POST, { headers, body: sound });
    expect(made).toMatchObject({
      status: 201,
      body: { status_changed_by: expect.stringMatching(/^admin /) },
    });
    const { id } = made.body;
    expect(await api.call(consolePause, { method: "POST", headers, params: { id } })).toMatchObject({
      body: { status: "paused", status_changed_by: expect.stringMatching(/^admin /) },
    });
    expect(await api.call(consoleEndpoint.GET, { headers, params: { id } })).toMatchObject({ status: 200 });
    expect((await auditOf(id)).map((line) => line.actor_kind)).toEqual(["user", "user"]);
  });

  test("refuse pages of other sites", async () => {
    const foreign = { headers: { origin: "https://evil.example" }, body: sound };
    expect(await api.call(consoleEndpoints.POST, foreign)).toMatchObject({ status: 403 });
    expect(await api.call(consoleEndpoints.GET, { headers: { host: "evil.example" } })).toMatchObject({
      status: 403,
    });
  });
});
