import { afterAll, beforeAll, expect, test } from "vitest";
import { setUpApi } from "#test/helpers/api.ts";
import { startMailServer, type TestMailServer } from "#test/helpers/smtp.ts";
import { createUserSession } from "#test/helpers/users.ts";
import { POST as invite } from "../../app/api/console/invitations/route.ts";

let mail: TestMailServer;
const api = setUpApi();

beforeAll(async () => {
  mail = await startMailServer();
  process.env.POSTHORN_SMTP_URL = mail.url;
  process.env.POSTHORN_MAIL_FROM = "posthorn@posthorn.example";
});
afterAll(() => mail.close());

test("an invitation goes out by e-mail as plain text, and is made all the same when the mail server refuses it", async () => {
  const body = { email: "new@posthorn.example", role: "support" };
  const { status, body: made } = await api.call(invite, { body });
  expect({ status, emailed: made.emailed }).toEqual({ status: 201, emailed: true });
  expect(mail.mails).toEqual([
    { from: "posthorn@posthorn.example", to: [body.email], text: expect.stringContaining(made.url) },
  ]);

  const name = '<img src=x onerror="ran=1">\r\nBcc: other@posthorn.example\r\n\r\n<b>bold</b>';
  const admin = await createUserSession(api.database.pool, { role: "admin" });
  await api.database.pool.query("update posthorn.users set name = $2 where id = $1", [admin.id, name]);
  expect((await api.call(invite, { as: admin, body })).body.emailed).toBe(true);
  const { to, text = "" } = mail.mails.pop() ?? {};
  const headers = text.slice(0, text.indexOf("\r\n\r\n"));
  expect(to).toEqual([body.email]);
  expect(headers).toMatch(/^Content-Type: text\/plain; charset=utf-8$/m);
  expect(headers).not.toMatch(/bcc|onerror/i);
  expect(text).toContain(`${name} invites you to Posthorn.`);

  mail.refuse("not today");
  const second = await api.call(invite, { body });
  expect({ status: second.status, emailed: second.body.emailed }).toEqual({ status: 201, emailed: false });
  expect(second.body.url).toMatch(/\/invitation\?token=/);
  expect(mail.mails).toHaveLength(1);
});
