import { beforeEach, expect, test } from "vitest";
import { setUpApi } from "#test/helpers/api.ts";
import { createAffiliate } from "#test/helpers/factories.ts";
import { codeOf } from "#test/helpers/totp.ts";
import { createUserSession, type TestUser } from "#test/helpers/users.ts";
import { GET as account } from "../../app/api/console/account/route.ts";
import { POST as disable } from "../../app/api/console/account/two-factor/disable/route.ts";
import { POST as enable } from "../../app/api/console/account/two-factor/enable/route.ts";
import { POST as begin } from "../../app/api/console/account/two-factor/route.ts";
import { POST as signInWithCode } from "../../app/api/console/sign-in/code/route.ts";
import { POST as signIn } from "../../app/api/console/sign-in/route.ts";
import { POST as viewAs } from "../../app/api/console/view-as/route.ts";

const api = setUpApi();
const password = "three little horns";
let user: TestUser;
let address = 0;

beforeEach(async () => {
  user = await createUserSession(api.database.pool, { role: "ops", password });
  address += 1;
});

/** The next half minute's, which is taken too: with the one of now it was turned on. */
const nextCodeOf = (secret: string) => codeOf(secret, Date.now() + 30_000);
/** As if half a minute had passed since the latest code was taken, and another. */
const passCodes = () => api.database.pool.query("update posthorn.two_factors set last_step = last_step - 2");

const cookieOf = (headers: Headers) =>
  headers
    .getSetCookie()
    .filter((cookie) => !/Max-Age=0/.test(cookie))
    .map((cookie) => cookie.split(";")[0])
    .join("; ");
const from = () => ({ "x-posthorn-address": `203.0.113.${address}` });
const firstStep = () =>
  api.call(signIn, { body: { email: user.email, password }, headers: { cookie: null, ...from() } });
const secondStep = (cookie: string, code: string) =>
  api.call(signInWithCode, { body: { code }, headers: { cookie, ...from() } });
const statusWith = async (cookie: string) => (await api.call(account, { headers: { cookie } })).status;

async function turnOn(): Promise<{ secret: string; backupCodes: string[]; cookie: string }> {
  const made = await api.call(begin, { as: user, body: { password }, headers: from() });
  expect(made.status).toBe(200);
  const on = await api.call(enable, { as: user, body: { code: codeOf(made.body.secret) } });
  expect(on.status).toBe(204);
  return { secret: made.body.secret, backupCodes: made.body.backup_codes, cookie: cookieOf(on.headers) };
}

test("with a second factor the password alone opens nothing; the code of the app does, once", async () => {
  const { secret, cookie } = await turnOn();
  expect((await api.call(account, { headers: { cookie } })).body).toMatchObject({ two_factor: true });
  const first = await firstStep();
  expect(first).toMatchObject({ status: 200, body: { needs_code: true } });
  const challenge = cookieOf(first.headers);
  expect(await statusWith(challenge)).toBe(401);
  const wrong = codeOf(secret, 0);
  expect(await secondStep(challenge, wrong)).toMatchObject({
    status: 401,
    body: { code: "wrong_credentials" },
  });
  const second = await secondStep(challenge, nextCodeOf(secret));
  expect(second.status).toBe(204);
  expect(await statusWith(cookieOf(second.headers))).toBe(200);
  await passCodes();
  expect((await secondStep(challenge, nextCodeOf(secret))).status).toBe(401);
  expect((await secondStep("", nextCodeOf(secret))).status).toBe(401);
  const { rows } = await api.database.pool.query(
    "select action from posthorn.audit_log where object_id = $1 order by id",
    [user.id],
  );
  expect(rows.map(({ action }) => action)).toEqual([
    "user.begin_second_factor",
    "user.enable_second_factor",
    "user.sign_in",
  ]);
});

test("a code of the app is used up, for other sign-ins as well, and so are those before it", async () => {
  const { secret } = await turnOn();
  const challenge = async () => cookieOf((await firstStep()).headers);
  const attempt = async (code: string) => secondStep(await challenge(), code);
  const code = nextCodeOf(secret);
  const wrong = await attempt(codeOf(secret, 0));
  const [first, second] = [await challenge(), await challenge()];
  const both = await Promise.all([secondStep(first, code), secondStep(second, code)]);
  expect(both.map(({ status }) => status).sort()).toEqual([204, 401]);
  const again = await attempt(code);
  expect({ ...again.body, request_id: "" }).toEqual({ ...wrong.body, request_id: "" });
  expect(again.status).toBe(401);
  expect((await attempt(codeOf(secret))).status).toBe(401);
  await passCodes();
  expect((await attempt(code)).status).toBe(204);
});

test.each(["app", "backup"])(
  "whoever may not sign in by then is refused as for a wrong code: %s",
  async (kind) => {
    const { pool } = api.database;
    const { secret, backupCodes } = await turnOn();
    const code = kind === "app" ? nextCodeOf(secret) : (backupCodes[0] ?? "");
    const challenge = cookieOf((await firstStep()).headers);
    const wrong = await secondStep(challenge, codeOf(secret, 0));
    await pool.query("update posthorn.users set deactivated_at = now() where id = $1", [user.id]);
    const late = await secondStep(challenge, code);
    expect({ status: late.status, body: { ...late.body, request_id: "" } }).toEqual({
      status: 401,
      body: { ...wrong.body, request_id: "" },
    });
    expect(cookieOf(late.headers)).toBe("");
    const { rows } = await pool.query(
      "select from posthorn.audit_log where object_id = $1 and action = 'user.sign_in'",
      [user.id],
    );
    expect(rows).toEqual([]);
  },
);

test("the code that turned it on signs nobody in", async () => {
  const made = await api.call(begin, { as: user, body: { password }, headers: from() });
  const code = codeOf(made.body.secret);
  expect((await api.call(enable, { as: user, body: { code } })).status).toBe(204);
  expect((await secondStep(cookieOf((await firstStep()).headers), code)).status).toBe(401);
});

test("a session that comes along is ended by the second step, and its user's codes open nothing", async () => {
  const { secret: theirs, cookie } = await turnOn();
  const challenged = await createUserSession(api.database.pool, { role: "ops", password });
  user = challenged;
  const { secret } = await turnOn();
  const challenge = cookieOf((await firstStep()).headers);
  expect((await secondStep(`${cookie}; ${challenge}`, nextCodeOf(theirs))).status).toBe(401);
  expect(await statusWith(cookie)).toBe(200);
  const second = await secondStep(`${cookie}; ${challenge}`, nextCodeOf(secret));
  expect((await api.call(account, { headers: { cookie: cookieOf(second.headers) } })).body).toMatchObject({
    email: challenged.email,
  });
  expect(await statusWith(cookie)).toBe(401);
});

test("turning it on or off ends a view of an affiliate, and the log says so", async () => {
  const { pool } = api.database;
  const { key } = await createAffiliate(pool);
  const view = async (cookie: string) => {
    const { status } = await api.call(viewAs, { body: { affiliate: key }, headers: { cookie } });
    expect(status).toBe(204);
  };
  await view(user.cookie);
  const { cookie } = await turnOn();
  await view(cookie);
  expect((await api.call(disable, { body: { password }, headers: { cookie } })).status).toBe(204);
  const { rows } = await pool.query(
    "select action from posthorn.audit_log where actor_id = $1 and action ~ 'view|able' order by id",
    [user.id],
  );
  expect(rows.map(({ action }) => action)).toEqual([
    "affiliate.view_as",
    "affiliate.stop_viewing",
    "user.enable_second_factor",
    "affiliate.view_as",
    "affiliate.stop_viewing",
    "user.disable_second_factor",
  ]);
});

test("a backup code signs in once", async () => {
  const { backupCodes } = await turnOn();
  const [code = ""] = backupCodes;
  expect((await secondStep(cookieOf((await firstStep()).headers), code)).status).toBe(204);
  expect((await secondStep(cookieOf((await firstStep()).headers), code)).status).toBe(401);
});

test("it is turned on only by who has the password and the app, and turned off by who has the password", async () => {
  const refused = await api.call(begin, {
    as: user,
    body: { password: "not the password" },
    headers: from(),
  });
  expect(refused).toMatchObject({ status: 422, body: { errors: [{ field: "password" }] } });
  const made = await api.call(begin, { as: user, body: { password }, headers: from() });
  const wrong = await api.call(enable, { as: user, body: { code: codeOf(made.body.secret, 0) } });
  expect(wrong).toMatchObject({ status: 422, body: { errors: [{ field: "code" }] } });
  expect((await firstStep()).status).toBe(204);

  const { cookie } = await turnOn();
  const turnOff = (given: string) =>
    api.call(disable, { body: { password: given }, headers: { cookie, ...from() } });
  expect((await turnOff("not the password")).status).toBe(422);
  const off = await turnOff(password);
  expect(off.status).toBe(204);
  expect(await statusWith(cookieOf(off.headers))).toBe(200);
  expect((await firstStep()).status).toBe(204);
});

test("codes cannot be guessed: a sign-in and a user have few tries", async () => {
  const { secret } = await turnOn();
  const challenge = cookieOf((await firstStep()).headers);
  const wrong = codeOf(secret, 0);
  for (let n = 0; n < 5; n++) expect((await secondStep(challenge, wrong)).status).toBe(401);
  expect((await secondStep(challenge, nextCodeOf(secret))).status).toBe(401);
  await passCodes();
  // From another address it is the same user.
  address += 1;
  const another = cookieOf((await firstStep()).headers);
  const statuses = [];
  for (let n = 0; n < 6; n++) statuses.push((await secondStep(another, wrong)).status);
  expect(statuses.slice(0, 4)).toEqual([401, 401, 401, 401]);
  expect(statuses.at(-1)).not.toBe(204);
  const late = cookieOf((await firstStep()).headers);
  expect((await secondStep(late, nextCodeOf(secret))).status).toBe(429);
});

test("one's own right code buys no tries of somebody else's", async () => {
  const { secret } = await turnOn();
  const [attacker, victim] = [user, await createUserSession(api.database.pool, { role: "ops", password })];
  user = victim;
  const { secret: theirs } = await turnOn();
  const challenges = async (of: TestUser) => {
    user = of;
    return cookieOf((await firstStep()).headers);
  };
  const guess = codeOf(theirs, 0);
  const statuses = [];
  for (let round = 0; round < 3; round++) {
    const challenge = await challenges(victim);
    for (let n = 0; n < 4; n++) statuses.push((await secondStep(challenge, guess)).status);
    await passCodes();
    expect((await secondStep(await challenges(attacker), nextCodeOf(secret))).status).toBe(204);
  }
  expect(statuses).toEqual([...Array(10).fill(401), 429, 429]);
});

test("an address has few tries whoever's they are, and right ones give none back", async () => {
  const { secret } = await turnOn();
  expect((await secondStep(cookieOf((await firstStep()).headers), nextCodeOf(secret))).status).toBe(204);
  for (let n = 0; n < 49; n++) expect((await secondStep("", "000000")).status).toBe(401);
  expect((await secondStep("", "000000")).status).toBe(429);
});

test("neither the secret nor a backup code is readable in the database", async () => {
  const { secret, backupCodes } = await turnOn();
  const { rows } = await api.database.pool.query("select t::text as row from posthorn.two_factors t");
  const text = rows.map(({ row }) => row).join();
  for (const plain of [secret, ...backupCodes]) expect(text).not.toContain(plain);
});
