import { afterAll, beforeAll, expect, test } from "vitest";
import { setUpApi } from "#test/helpers/api.ts";
import { startMailServer, type TestMailServer } from "#test/helpers/smtp.ts";
import { POST as invite } from "../../app/api/console/invitations/route.ts";

let mail: TestMailServer;
const api = setUpApi();

beforeAll(async () => {
  mail = await startMailServer();
  process.env.POSTHORN_SMTP_URL = mail.url;
  process.env.POSTHORN_MAIL_FROM = "posthorn@posthorn.example";
});
afterAll(() => mail.close());

test("an invitation goes out by e-mail, and is made all the same when the mail server refuses it", async () => {
  const body = { email: "new@posthorn.example", role: "support" };
  const { status, body: made } = await api.call(invite, { body });
  expect({ status, emailed: made.emailed }).toEqual({ status: 201, emailed: true });
  expect(mail.mails).toEqual([
    { from: "posthorn@posthorn.example", to: [body.email], text: expect.stringContaining(made.url) },
  ]);

  mail.refuse("not today");
  const second = await api.call(invite, { body });
  expect({ status: second.status, emailed: second.body.emailed }).toEqual({ status: 201, emailed: false });
  expect(second.body.url).toMatch(/\/invitation\?token=/);
  expect(mail.mails).toHaveLength(1);
});
