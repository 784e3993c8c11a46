import { Webhook } from "standardwebhooks";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { closeAppDatabase } from "#lib/db/app.ts";
import { createSender, type Sender } from "#lib/http/send.ts";
import { createLogger } from "#lib/log.ts";
import { createMailer, type Mailer } from "#lib/mail/mailer.ts";
import { noticeChanges } from "#lib/queue/notices.ts";
import { setUpApi } from "#test/helpers/api.ts";
import { createAffiliate, createEndpoint, testSecretKey } from "#test/helpers/factories.ts";
import { type Receiver, startReceiver } from "#test/helpers/receiver.ts";
import { startMailServer, type TestMailServer } from "#test/helpers/smtp.ts";
import { createUserSession, type TestUser } from "#test/helpers/users.ts";
import { eventually } from "#test/helpers/workers.ts";
import { sendNotices } from "#worker/notices.ts";
import * as notices from "../../app/api/console/notices/route.ts";
import * as settings from "../../app/api/console/notices/settings/route.ts";
import { POST as replaceSecret } from "../../app/api/console/notices/settings/secret/route.ts";
import { PATCH as changeUser } from "../../app/api/console/users/[id]/route.ts";

const api = setUpApi();
let mail: TestMailServer;
let mailer: Mailer;
let sender: Sender;
let receiver: Receiver;

beforeAll(async () => {
  mail = await startMailServer();
  mailer = createMailer({ url: mail.url, from: "posthorn@posthorn.example" });
  sender = createSender({ allowedSubnets: ["127.0.0.0/8"] });
  receiver = await startReceiver();
});

afterAll(async () => {
  mailer.close();
  await Promise.all([mail.close(), sender.close(), receiver.close(), closeAppDatabase()]);
});

afterEach(async () => {
  mail.refuse(null);
  mail.mails.length = 0;
  await api.database.pool.query("delete from posthorn.notices");
});

type World = { affiliateId: string; endpointId: string; user: TestUser };

async function makeWorld(): Promise<World> {
  const { pool } = api.database;
  const affiliate = await createAffiliate(pool);
  const { id } = await createEndpoint(pool, { url: "http://127.0.0.1:9/?token=hush", affiliate });
  const user = await createUserSession(pool, { role: "affiliate", affiliateId: affiliate.id });
  return { affiliateId: affiliate.id, endpointId: id, user };
}

const set = (endpointId: string, health: string) =>
  api.database.pool.query(`update posthorn.endpoint_health set ${health} where endpoint_id = $1`, [
    endpointId,
  ]);
const fail = (endpointId: string) =>
  set(
    endpointId,
    `failing_since = now() - interval '11 minutes', failing_latest = now(), failing_attempts = 5,
     last_failure_reason = 'unauthorized', last_failure_status = 401`,
  );
const succeed = (endpointId: string) =>
  set(
    endpointId,
    "failing_since = null, failing_latest = null, failing_attempts = 0, last_success_at = now()",
  );
const note = () => noticeChanges(api.database.pool, { email: true });
const send = () =>
  sendNotices({
    pool: api.database.pool,
    sender,
    mailer,
    secretKeys: [testSecretKey],
    publicUrl: "https://posthorn.example",
    log: createLogger("test"),
  });
/** What some workers do at the same time. */
const atOnce = (work: () => Promise<number>) => Promise.all(Array.from({ length: 5 }, work));
const mailsTo = ({ email }: TestUser) => mail.mails.filter(({ to }) => to.includes(email));
/** The lines of its header, unfolded, and its body. */
function partsOf(mail: string): { headers: string[]; body: string } {
  const end = mail.indexOf("\r\n\r\n");
  const headers = mail.slice(0, end).replace(/\r\n[ \t]+/g, " ");
  return { headers: headers.split("\r\n"), body: mail.slice(end) };
}
const passNoticeTime = (seconds: number) =>
  api.database.pool.query(
    "update posthorn.notice_sends set next_attempt_at = next_attempt_at - $1 * interval '1 second'",
    [seconds],
  );
const choose = (user: TestUser, body: unknown) =>
  api.call(settings.PATCH, { as: user, method: "PATCH", body });

describe("a change of an endpoint's state", () => {
  test("is told once, by one of several workers, and not again until it changes", async () => {
    const { endpointId, user } = await makeWorld();
    await fail(endpointId);
    await atOnce(note);
    await atOnce(send);
    await atOnce(note);
    await atOnce(send);
    expect(mailsTo(user)).toHaveLength(1);
    const [first] = mailsTo(user);
    expect(first?.from).toBe("posthorn@posthorn.example");
    expect(first?.text).toContain("Subject: Your endpoint test endpoint fails");
    expect(first?.text).toContain("Your server refused our credentials (401). Has the token changed?");
    expect(first?.text).toContain(`https://posthorn.example/portal/endpoints/${endpointId}`);
    // Of its URL only the host is told: the rest may hold a token.
    expect(first?.text).toContain("127.0.0.1:9");
    expect(first?.text).not.toContain("hush");

    await succeed(endpointId);
    await atOnce(note);
    await atOnce(send);
    expect(mailsTo(user).map(({ text }) => /Subject: (.*)/.exec(text)?.[1])).toEqual([
      "Your endpoint test endpoint fails",
      "Your endpoint test endpoint works again",
    ]);
    expect(await note()).toBe(0);
  });

  test("is told as plain text, whatever the endpoint is called", async () => {
    const { endpointId, user } = await makeWorld();
    const name = '<img src=x onerror="ran=1">\r\nBcc: other@posthorn.example\r\n\r\n<b>bold</b>';
    await api.database.pool.query("update posthorn.endpoints set name = $2 where id = $1", [
      endpointId,
      name,
    ]);
    await fail(endpointId);
    await note();
    await send();
    const [told, ...more] = mailsTo(user);
    expect([told?.to, more]).toEqual([[user.email], []]);
    const { headers, body } = partsOf(told?.text ?? "");
    expect(headers).toContain("Content-Type: text/plain; charset=utf-8");
    expect(headers.filter((line) => /^(bcc|content-type|subject):/i.test(line))).toHaveLength(2);
    expect(body).toContain(name);
  });

  test.each([
    ["too few failures", "failing_since = now() - interval '1 day', failing_attempts = 4"],
    ["too short a time", "failing_since = now() - interval '9 minutes', failing_attempts = 50"],
    ["a breaker that has just opened", "breaker = 'open', breaker_changed_at = now()"],
    [
      "a breaker that somebody holds",
      "breaker = 'open', breaker_changed_at = now() - interval '1 day', breaker_held_by = 'Ana'",
    ],
  ])("is none for %s", async (_, health) => {
    const { endpointId } = await makeWorld();
    await set(endpointId, health);
    expect(await note()).toBe(0);
  });

  test("is a breaker that stays open, and a disabled endpoint; a pause changes nothing", async () => {
    const { pool } = api.database;
    const { endpointId, user } = await makeWorld();
    const status = (value: string) =>
      pool.query("update posthorn.endpoints set status = $2::posthorn.endpoint_status where id = $1", [
        endpointId,
        value,
      ]);
    await set(endpointId, "breaker = 'open', breaker_changed_at = now() - interval '11 minutes'");
    await note();
    await status("paused");
    expect(await note()).toBe(0);
    await status("disabled");
    await note();
    // Resumed, it has not recovered before something succeeds.
    await status("active");
    await set(endpointId, "breaker = 'closed'");
    expect(await note()).toBe(0);
    await succeed(endpointId);
    await note();
    const { body } = await api.call(notices.GET, { as: user });
    expect(body.data.map(({ kind }: { kind: string }) => kind)).toEqual(["recovered", "disabled", "failing"]);
  });

  test("is for active users of this affiliate alone, and for what they asked for", async () => {
    const { pool } = api.database;
    const mine = await makeWorld();
    const theirs = await makeWorld();
    const member = () => createUserSession(pool, { role: "affiliate", affiliateId: mine.affiliateId });
    const [gone, quiet, late] = [await member(), await member(), await member()];
    await pool.query("update posthorn.users set deactivated_at = now() where id = $1", [gone.id]);
    await choose(quiet, { kinds: ["recovered"] });
    await fail(mine.endpointId);
    await note();
    // Between the change and the sending.
    await choose(late, { by_email: false });
    await send();
    expect(mail.mails.map(({ to }) => to[0])).toEqual([mine.user.email]);
    expect((await api.call(notices.GET, { as: theirs.user })).body.data).toEqual([]);
    const seen = await api.call(notices.GET, { as: late });
    expect(seen.body.data).toMatchObject([
      { kind: "failing", sends: [{ channel: "email", state: "dropped" }] },
    ]);
  });

  test("is for nobody who has become another affiliate's user, or one of the staff, since", async () => {
    const { pool } = api.database;
    const { endpointId, affiliateId, user } = await makeWorld();
    const other = await makeWorld();
    const promoted = await createUserSession(pool, { role: "affiliate", affiliateId });
    await fail(endpointId);
    await note();
    await pool.query("update posthorn.users set affiliate_id = $2 where id = $1", [
      user.id,
      other.affiliateId,
    ]);
    await pool.query("update posthorn.users set role = 'ops', affiliate_id = null where id = $1", [
      promoted.id,
    ]);
    await send();
    expect(mail.mails).toEqual([]);
    const { rows } = await pool.query("select state from posthorn.notice_sends");
    expect(rows).toEqual([{ state: "dropped" }, { state: "dropped" }]);
  });

  test("reaches a webhook, signed as ours are, and is tried again a bounded number of times", async () => {
    const { endpointId, user, affiliateId } = await makeWorld();
    const { body } = await choose(user, { by_email: false, webhook_url: receiver.url("/notices?token=x") });
    expect(body).toMatchObject({ by_email: false, secret: expect.stringMatching(/^whsec_/) });
    receiver.script("/notices", { status: 500 }, { status: 204 });
    await fail(endpointId);
    await note();
    await atOnce(send);
    await atOnce(send);
    expect(receiver.requests("/notices")).toHaveLength(1);
    await passNoticeTime(60);
    await atOnce(send);
    await passNoticeTime(100_000);
    await atOnce(send);
    const got = receiver.requests("/notices");
    expect(got).toHaveLength(2);
    const last = got[1];
    const headers = Object.fromEntries(
      Array.from({ length: (last?.headers.length ?? 0) / 2 }, (_, i) => [
        last?.headers[2 * i]?.toLowerCase(),
        last?.headers[2 * i + 1],
      ]),
    );
    const verified = new Webhook(body.secret).verify(last?.body.toString() ?? "", headers as never);
    const { rows } = await api.database.pool.query("select key from posthorn.affiliates where id = $1", [
      affiliateId,
    ]);
    expect(verified).toMatchObject({
      id: headers["webhook-id"],
      type: "endpoint.failing",
      data: { endpoint: { id: endpointId }, affiliate: rows[0].key, reason: "unauthorized", status: 401 },
    });

    receiver.script("/notices", { status: 500 });
    await succeed(endpointId);
    await note();
    for (let attempt = 0; attempt < 8; attempt++) {
      await send();
      await passNoticeTime(100_000);
    }
    expect(receiver.requests("/notices")).toHaveLength(2 + 5);
    const list = await api.call(notices.GET, { as: user });
    expect(list.body.data[0].sends).toEqual([
      { channel: "webhook", state: "failed", attempts: 5, failure: "status 500" },
    ]);
  });

  test("is mailed later where the server refuses it for now, with its code kept and no address", async () => {
    const { endpointId, user } = await makeWorld();
    mail.refuse(`try later, ${user.email}`);
    await fail(endpointId);
    await note();
    await send();
    const { rows } = await api.database.pool.query("select state, failure from posthorn.notice_sends");
    expect(rows).toEqual([{ state: "pending", failure: "EENVELOPE 451" }]);
    mail.refuse(null);
    await passNoticeTime(60);
    await send();
    expect(mailsTo(user)).toHaveLength(1);
  });

  test("never goes into a network that may not be reached", async () => {
    const { endpointId, user } = await makeWorld();
    await choose(user, { by_email: false, webhook_url: receiver.url("/guarded") });
    await fail(endpointId);
    await note();
    const guarded = createSender({ allowedSubnets: [] });
    const log = createLogger("test");
    const given = { sender: guarded, mailer: null, secretKeys: [testSecretKey], publicUrl: undefined, log };
    await sendNotices({ ...given, pool: api.database.pool });
    await guarded.close();
    expect(receiver.requests("/guarded")).toEqual([]);
    const { rows } = await api.database.pool.query("select failure from posthorn.notice_sends");
    expect(rows).toEqual([{ failure: "POSTHORN_BLOCKED_ADDRESS" }]);
  });
});

describe("the choice of notices", () => {
  test("begins with everything by e-mail, is one's own, and is in the audit log without the URL", async () => {
    const { user } = await makeWorld();
    const other = await makeWorld();
    const mine = () => api.call(settings.GET, { as: user });
    expect((await mine()).body).toMatchObject({
      kinds: ["failing", "disabled", "recovered"],
      by_email: true,
      webhook_url: null,
    });
    const url = "https://example.com/hook?token=hush";
    const saved = await choose(user, { kinds: ["disabled"], webhook_url: url });
    expect(saved).toMatchObject({ status: 200, body: { kinds: ["disabled"], webhook_url: url } });
    expect((await mine()).body).not.toHaveProperty("secret");
    expect((await choose(user, { by_email: false })).body).not.toHaveProperty("secret");
    const replaced = await api.call(replaceSecret, { as: user, method: "POST" });
    expect(replaced.body.secret).toMatch(/^whsec_/);
    expect(replaced.body.secret).not.toBe(saved.body.secret);
    expect((await choose(user, { webhook_url: null })).body.webhook_url).toBeNull();
    expect((await api.call(replaceSecret, { as: user, method: "POST" })).status).toBe(409);
    expect((await api.call(settings.GET, { as: other.user })).body.kinds).toHaveLength(3);
    const { rows } = await api.database.pool.query(
      "select action, before, after from posthorn.audit_log where object_id = $1 order by id",
      [user.id],
    );
    expect(rows.map(({ action }) => action)).toEqual([
      "notice.edit",
      "notice.edit",
      "notice.replace_secret",
      "notice.edit",
    ]);
    expect(JSON.stringify(rows)).not.toContain("hush");
    expect(JSON.stringify(rows)).toContain("example.com");
  });

  test.each([
    ["nothing", {}],
    ["an unknown kind", { kinds: ["exploded"] }],
    ["a kind twice", { kinds: ["failing", "failing"] }],
    ["no URL", { webhook_url: "nowhere" }],
    ["a private address", { webhook_url: "http://10.0.0.1/x" }],
    ["an unknown field", { phone: "1" }],
  ])("is refused for %s", async (_, body) => {
    const { user } = await makeWorld();
    expect((await choose(user, body)).status).toBe(422);
  });

  test("ends with another affiliate, and begins anew there", async () => {
    const { user } = await makeWorld();
    const other = await makeWorld();
    const become = async (body: object) =>
      expect(await api.call(changeUser, { method: "PATCH", params: { id: user.id }, body })).toMatchObject({
        status: 200,
      });
    const shown = async () => (await api.call(settings.GET, { as: user })).body;
    const { rows } = await api.database.pool.query("select key from posthorn.affiliates where id = $1", [
      other.affiliateId,
    ]);
    const asOther = { role: "affiliate", affiliate: rows[0].key };
    const chosen = { by_email: false, webhook_url: "https://example.com/mine" };
    const untouched = { by_email: true, webhook_url: null };
    await choose(user, chosen);
    await become(asOther);
    expect(await shown()).toMatchObject(untouched);
    await choose(user, chosen);
    await become(asOther);
    expect(await shown()).toMatchObject(chosen);
    await become({ role: "support" });
    await become(asOther);
    expect(await shown()).toMatchObject(untouched);
  });

  test("is not made by who became another affiliate's in this moment", async () => {
    const { pool } = api.database;
    const { user } = await makeWorld();
    const other = await makeWorld();
    const client = await pool.connect();
    try {
      await client.query("begin");
      await client.query("update posthorn.users set affiliate_id = $2 where id = $1", [
        user.id,
        other.affiliateId,
      ]);
      const late = choose(user, { webhook_url: "https://example.com/mine" });
      await eventually(async () => {
        const { rows } = await pool.query(
          "select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'",
        );
        return rows.length === 1;
      });
      await client.query("commit");
      expect((await late).status).toBe(403);
    } finally {
      client.release();
    }
    expect((await api.call(settings.GET, { as: user })).body.webhook_url).toBeNull();
  });

  test("is not for the staff", async () => {
    expect((await api.call(settings.GET, { as: "admin" })).status).toBe(403);
    expect((await api.call(notices.GET, { as: "support" })).status).toBe(403);
  });
});
