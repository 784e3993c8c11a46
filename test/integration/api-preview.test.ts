import { createHmac } from "node:crypto";
import { describe, expect, test } from "vitest";
import { setUpApi } from "#test/helpers/api.ts";
import { POST as consolePreview } from "../../app/api/console/templates/preview/route.ts";
import * as eventTypes from "../../app/api/v1/event-types/route.ts";
import { POST as preview } from "../../app/api/v1/templates/preview/route.ts";

const api = setUpApi();
const sound = {
  template: "https://trk.example/pb?c={click_id}&p={payout}",
  event: { type: "conversion.approved", data: { click_id: "q", payout: "1.50" } },
};
const ask = (body: unknown) => api.call(preview, { body });
const askWithData = (template: string, data: string) =>
  ask(JSON.stringify({ template, event: { type: "ftd", data: 0 } }).replace('"data":0', `"data":${data}`));

describe("what would be sent", () => {
  test("is told to a key and to the console alike", async () => {
    const expected = {
      status: 200,
      body: { url: "https://trk.example/pb?c=q&p=1.50", warnings: [] },
    };
    expect(await ask(sound)).toMatchObject(expected);
    const headers = { authorization: null };
    expect(await api.call(consolePreview, { body: sound, headers })).toMatchObject(expected);
    expect((await api.call(preview, { body: sound, headers })).status).toBe(401);
  });

  test.each([
    ['{"payout":1.10}', "1.10"],
    ['{"payout":12345678901234567890.120000000000000001}', "12345678901234567890.120000000000000001"],
    [' { "a" : {"payout":3} ,\n "payout" :\t-0.0 } ', "-0.0"],
    ['{"payout":1,"payout":2e5}', "2e5"],
  ])("the digits of %s are kept", async (data, digits) => {
    const answer = await askWithData("https://trk.example/?p={payout}", data);
    expect(answer.body).toEqual({ url: `https://trk.example/?p=${digits}`, warnings: [] });
  });

  test("only fields of the event's own type are known, as its catalogue has them now", async () => {
    await api.call(eventTypes.POST, {
      body: { name: "level.up", fields: [{ name: "level", kind: "integer", example: "7" }] },
    });
    const levelUp = {
      template: "https://trk.example/?l={level}",
      event: { type: "level.up", data: { level: 9 } },
    };
    expect((await ask(levelUp)).body).toEqual({ url: "https://trk.example/?l=9", warnings: [] });
    const other = { ...levelUp, event: { ...levelUp.event, type: "ftd" } };
    expect(await ask(other)).toMatchObject({ status: 422, body: { code: "unknown_macro" } });
  });

  test.each([
    ["s3cr3t", Buffer.from("s3cr3t")],
    ["whsec_AQIDBA==", Buffer.from([1, 2, 3, 4])],
  ])("signed with %s it ends in the signature of the URL before it", async (sign_with, key) => {
    const template = "https://trk.example/pb?c={click_id}&t={secret.token}";
    const { body } = await ask({ ...sound, template, sign_with });
    const url = "https://trk.example/pb?c=q&t={secret.token}";
    expect(body.url).toBe(`${url}&sig=${createHmac("sha256", key).update(url).digest("hex")}`);
  });

  test("warnings name what they are about, and repeat no value", async () => {
    const template = "https://trk.example/pb?token=0123456789abcdef&s={sub1}&d={sub2|a%20b}";
    const event = { ...sound.event, data: { sub1: "canary%2F" } };
    const { body } = await ask({ template, event });
    expect(body.warnings.map(({ code }: { code: string }) => code)).toEqual([
      "literal_secret",
      "already_encoded",
      "already_encoded",
    ]);
    expect(JSON.stringify(body.warnings)).not.toContain("canary");
  });

  test("a time that is left out is now", async () => {
    const before = Math.floor(Date.now() / 1_000);
    const { body } = await ask({ ...sound, template: "https://trk.example/?t={timestamp}" });
    const seconds = Number(new URL(body.url).searchParams.get("t"));
    expect(seconds).toBeGreaterThanOrEqual(before);
    expect(seconds).toBeLessThanOrEqual(Date.now() / 1_000);
  });
});

describe("what is refused names its field", () => {
  const event = sound.event;
  const huge = "a".repeat(100_000);
  test.each([
    ["no template", { event }, "template"],
    ["a template of another type", { ...sound, template: 7 }, "template"],
    ["an empty template", { ...sound, template: "" }, "template"],
    ["a template of 100 kB", { ...sound, template: `https://trk.example/?${huge}` }, "template"],
    ["an own macro misspelled", { ...sound, template: "https://trk.example/?c={clickid}" }, "template"],
    ["a prototype's name", { ...sound, template: "https://trk.example/?c={constructor}" }, "template"],
    ["another prototype's name", { ...sound, template: "https://trk.example/?c={__proto__|1}" }, "template"],
    ["a prototype's function", { ...sound, template: "https://trk.example/?c={sub1:toString}" }, "template"],
    ["a private address", { ...sound, template: "https://10.0.0.5/?c={click_id}" }, "template"],
    ["the address of a cloud's keys", { ...sound, template: "https://169.254.169.254/{sub1}" }, "template"],
    ["another method", { ...sound, method: "PUT" }, "method"],
    ["a body with GET", { ...sound, body: "{}", content_type: "application/json" }, "body"],
    ["a body of unknown kind", { ...sound, method: "POST", body: "{}" }, "content_type"],
    [
      "a content type without a body",
      { ...sound, method: "POST", content_type: "application/json" },
      "content_type",
    ],
    ["another content type", { ...sound, content_type: "text/xml" }, "content_type"],
    [
      "a body that is no text",
      { ...sound, method: "POST", body: {}, content_type: "application/json" },
      "body",
    ],
    [
      "a body that is no JSON",
      { ...sound, method: "POST", body: '{"a":', content_type: "application/json" },
      "body",
    ],
    ["a body of 100 kB", { ...sound, method: "POST", body: huge, content_type: "application/json" }, "body"],
    ["signing a POST", { ...sound, method: "POST", sign_with: "k" }, "sign_with"],
    ["an empty key", { ...sound, sign_with: "" }, "sign_with"],
    ["a key without bytes", { ...sound, sign_with: "whsec_" }, "sign_with"],
    ["a key that is no base64", { ...sound, sign_with: "whsec_%%%" }, "sign_with"],
    ["a key of another type", { ...sound, sign_with: ["k"] }, "sign_with"],
    ["an unknown field", { ...sound, secrets: {} }, "secrets"],
    ["no event", { template: sound.template }, "event"],
    ["an event that is none", { ...sound, event: "ftd" }, "event"],
    ["an event that is a list", { ...sound, event: [] }, "event"],
    ["no type", { ...sound, event: { data: {} } }, "event.type"],
    ["an unknown type", { ...sound, event: { ...event, type: "no.such" } }, "event.type"],
    ["a prototype's type", { ...sound, event: { ...event, type: "constructor" } }, "event.type"],
    ["a type of another type", { ...sound, event: { ...event, type: null } }, "event.type"],
    ["no data", { ...sound, event: { type: "ftd" } }, "event.data"],
    ["data that are a list", { ...sound, event: { ...event, data: [] } }, "event.data"],
    ["data that are text", { ...sound, event: { ...event, data: "{}" } }, "event.data"],
    ["data that are null", { ...sound, event: { ...event, data: null } }, "event.data"],
    [
      "a time without a zone",
      { ...sound, event: { ...event, occurred_at: "2026-01-31" } },
      "event.occurred_at",
    ],
    ["an affiliate", { ...sound, event: { ...event, affiliate: "acme" } }, "event.affiliate"],
    ["a list", [sound], "body"],
    ["data twice", JSON.stringify(sound).replace('"data"', '"data":{},"data"'), "event.data"],
    ["the event twice", JSON.stringify(sound).replace('"event"', '"event":{},"event"'), "event"],
    ["__proto__", JSON.stringify(sound).replace('"event"', '"__proto__":{},"event"'), "__proto__"],
    [
      "__proto__ in the event",
      JSON.stringify(sound).replace('"data"', '"__proto__":{},"data"'),
      "event.__proto__",
    ],
    [
      "data of 65 levels",
      JSON.stringify(sound).replace('"q"', `${"[".repeat(64)}${"]".repeat(64)}`),
      "event.data",
    ],
    ["half a surrogate pair", JSON.stringify(sound).replace('"q"', '"\\ud800"'), "event.data"],
  ])("%s", async (_, body, field) => {
    const answer = await ask(body);
    expect(answer).toMatchObject({
      status: 422,
      body: { errors: expect.arrayContaining([expect.objectContaining({ field })]) },
    });
  });

  test.each(["", "{", "null}", '{"event":{"data":{"a":01}}}'])("what is no JSON: %j", async (body) => {
    expect(await ask(body)).toMatchObject({ status: 400, body: { code: "malformed_json" } });
  });

  test("more than an event can have beside its templates", async () => {
    const event = { type: "ftd", data: { sub1: "a".repeat(1_600_000) } };
    expect((await ask({ ...sound, event })).status).toBe(413);
  });

  test("a fault is told with its code and what would be right", async () => {
    const { body } = await ask({ ...sound, template: "https://trk.example/?c={ClickID}" });
    expect(body).toMatchObject({ code: "unknown_macro", suggestion: "{click_id}" });
    expect(body.errors).toEqual([
      { field: "template", code: "unknown_macro", message: expect.any(String), suggestion: "{click_id}" },
    ]);
  });
});

describe("what is huge ends", () => {
  const form = (body: string, data: object) => ({
    template: "https://trk.example/",
    method: "POST",
    content_type: "application/x-www-form-urlencoded",
    body,
    event: { type: "ftd", data },
  });

  test("ten thousand macros", async () => {
    const answer = await ask(form("{sub1}".repeat(10_000), { sub1: "ab" }));
    expect(answer).toMatchObject({ status: 200, body: { body: "ab".repeat(10_000) } });
  });

  test("ten thousand unknown ones", async () => {
    const answer = await ask(form("{sib1}".repeat(10_000), {}));
    expect(answer).toMatchObject({ status: 422, body: { code: "unknown_macro" } });
    expect(answer.body.errors.length).toBeLessThanOrEqual(100);
  });

  test("a megabyte of a value in thousands of places", async () => {
    const answer = await ask(form("{sub1:sha256}".repeat(5_000), { sub1: "a".repeat(1_000_000) }));
    expect({ status: answer.status, failed: answer.body.failed }).toEqual({
      status: 200,
      failed: "body_too_long",
    });
  });

  test("a megabyte of brackets", async () => {
    expect((await ask(`{"template":${"[".repeat(1_000_000)}`)).status).toBe(400);
  });
});
