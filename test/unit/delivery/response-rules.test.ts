import { describe, expect, it, test } from "vitest";
import { checkResponseRules, classifyResponse, type ResponseRule } from "#lib/delivery/response-rules.ts";

const delivered = { outcome: "delivered", reason: null };
const answer = (status: number, body = "") => ({ status, body: Buffer.from(body) });

describe("classifyResponse", () => {
  test("without rules the status decides", () => {
    expect(classifyResponse(answer(204), [])).toEqual(delivered);
    expect(classifyResponse(answer(500), [])).toEqual({ outcome: "transient", reason: "server_error" });
  });

  test("case 18: a 200 that contains what it must not is rejected, and retried where the rule says so", () => {
    for (const [retry, outcome] of [
      [true, "transient"],
      [false, "permanent"],
    ] as const) {
      const rules: ResponseRule[] = [{ kind: "body_does_not_contain", text: "success=false", retry }];
      expect(classifyResponse(answer(200, "a=1&success=false"), rules)).toEqual({
        outcome,
        reason: "rejected_by_response",
      });
      expect(classifyResponse(answer(200, "a=1&success=true"), rules)).toEqual(delivered);
    }
  });

  const kept: [ResponseRule, string, number, boolean][] = [
    [{ kind: "status_in", statuses: [200, 202], retry: false }, "", 202, true],
    [{ kind: "status_in", statuses: [200, 202], retry: false }, "", 201, false],
    [{ kind: "body_contains", text: "é🎰", retry: false }, "<é🎰>", 200, true],
    [{ kind: "body_contains", text: "ok", retry: false }, "OK", 200, false],
    [{ kind: "body_equals", text: "1", retry: false }, "1", 200, true],
    [{ kind: "body_equals", text: "1", retry: false }, "10", 200, false],
    [{ kind: "body_equals", text: "", retry: false }, "", 204, true],
    [{ kind: "body_equals", text: "", retry: false }, " ", 200, false],
  ];
  it.each(kept)("%o with the body %j and status %i: %s", (rule, body, status, isDelivered) => {
    expect(classifyResponse(answer(status, body), [rule])).toEqual(
      isDelivered ? delivered : { outcome: "permanent", reason: "rejected_by_response" },
    );
  });

  test("all rules must be kept; the first one broken says whether it is retried", () => {
    const rules: ResponseRule[] = [
      { kind: "status_in", statuses: [200], retry: false },
      { kind: "body_contains", text: "ok", retry: true },
      { kind: "body_contains", text: "done", retry: false },
    ];
    const rejected = (outcome: string) => ({ outcome, reason: "rejected_by_response" });
    expect(classifyResponse(answer(200, "ok, done"), rules)).toEqual(delivered);
    expect(classifyResponse(answer(201, "ok, done"), rules)).toEqual(rejected("permanent"));
    expect(classifyResponse(answer(200, "nothing"), rules)).toEqual(rejected("transient"));
    expect(classifyResponse(answer(200, "ok"), rules)).toEqual(rejected("permanent"));
  });

  test("rules make no success of a failure", () => {
    const rules: ResponseRule[] = [{ kind: "body_contains", text: "ok", retry: true }];
    expect(classifyResponse(answer(500, "ok"), rules)).toEqual({
      outcome: "transient",
      reason: "server_error",
    });
    expect(classifyResponse(answer(401, ""), rules)).toEqual({
      outcome: "permanent",
      reason: "unauthorized",
    });
  });

  test("a body that means a duplicate counts as delivered, whatever else is said", () => {
    const rules: ResponseRule[] = [
      { kind: "body_does_not_contain", text: "error", retry: false },
      { kind: "duplicate", text: "already recorded" },
    ];
    for (const status of [200, 409, 410, 500])
      expect(classifyResponse(answer(status, "error: already recorded"), rules)).toEqual(delivered);
    expect(classifyResponse(answer(409, "conflict"), rules)).toEqual({
      outcome: "permanent",
      reason: "client_error",
    });
    expect(classifyResponse(answer(200, "fine"), rules)).toEqual(delivered);
  });

  test("a body of any bytes is compared as bytes", () => {
    const body = Buffer.from([0, 0xff, 0xc3, 0xa9, 0xfe]);
    const rule = (text: string): ResponseRule[] => [{ kind: "body_contains", text, retry: false }];
    expect(classifyResponse({ status: 200, body }, rule("é"))).toEqual(delivered);
    expect(classifyResponse({ status: 200, body }, rule("\ufffd")).outcome).toBe("permanent");
  });
});

describe("checkResponseRules", () => {
  const statusIn = (...statuses: number[]): ResponseRule => ({ kind: "status_in", statuses, retry: false });
  const contains = (text: string): ResponseRule => ({ kind: "body_contains", text, retry: false });
  const lacks = (text: string): ResponseRule => ({ kind: "body_does_not_contain", text, retry: false });
  const equals = (text: string): ResponseRule => ({ kind: "body_equals", text, retry: false });
  const duplicate = (text: string): ResponseRule => ({ kind: "duplicate", text });

  const good: ResponseRule[][] = [
    [],
    [statusIn(200), statusIn(200, 201)],
    [statusIn(200, 299)],
    [statusIn(200, 204), contains("ok")],
    [contains("ok"), statusIn(200, 204)],
    [statusIn(204), equals("")],
    [statusIn(204, 205), lacks("x"), duplicate("y")],
    [statusIn(206), contains("x")],
    [contains("ok"), contains("done"), lacks("okay")],
    [lacks("ok"), contains("o")],
    [equals("status: ok"), contains("ok"), lacks("error")],
    [lacks("error"), equals("ok"), equals("ok")],
    [lacks("error"), duplicate("error: duplicate")],
    [equals("ok"), duplicate("again")],
    [contains("ok"), duplicate("x")],
  ];
  it.each(good)("%j %j %j can be saved", (...rules) => {
    expect(checkResponseRules(rules.filter(Boolean))).toEqual([]);
  });

  const bad: [string, ResponseRule[], number, "statuses" | "text", RegExp][] = [
    ["no status", [statusIn()], 0, "statuses", /at least one/],
    ["a status below 200", [statusIn(200, 199)], 0, "statuses", /200 to 299/],
    ["a status above 299", [statusIn(300, 200)], 0, "statuses", /200 to 299/],
    ["half a status", [statusIn(200.5)], 0, "statuses", /200 to 299/],
    ["no common status", [statusIn(200, 201), statusIn(202, 203)], 1, "statuses", /in common/],
    [
      "no status common to three",
      [statusIn(200, 201), statusIn(201, 202), statusIn(202, 200)],
      2,
      "statuses",
      /in common/,
    ],
    ["a body with 204", [contains("x"), statusIn(204)], 1, "statuses", /no body/],
    ["a body with 205", [equals("x"), statusIn(205, 204)], 1, "statuses", /no body/],
    ["204 with a body", [statusIn(204), contains("x")], 1, "text", /no body/],
    ["204 with an exact body", [statusIn(204), equals("x")], 1, "text", /no body/],
    ["204 left of two", [statusIn(200, 204), statusIn(204, 206), contains("x")], 2, "text", /no body/],
    [
      "204 left of two, later",
      [statusIn(200, 204), contains("x"), statusIn(204, 206)],
      2,
      "statuses",
      /no body/,
    ],
    ["an empty text to contain", [contains("")], 0, "text", /empty/],
    ["an empty text to lack", [lacks("")], 0, "text", /empty/],
    ["an empty duplicate", [duplicate("")], 0, "text", /empty/],
    ["contains and lacks", [contains("okay"), lacks("ok")], 1, "text", /rule 1: no answer/],
    ["lacks and contains", [lacks("ok"), contains("okay")], 1, "text", /rule 1: no answer/],
    ["equals and lacks", [equals("okay"), lacks("ok")], 1, "text", /rule 1: no answer/],
    ["lacks and equals", [lacks("ok"), equals("okay")], 1, "text", /rule 1: no answer/],
    ["equals and contains", [equals("ok"), contains("okay")], 1, "text", /rule 1: no answer/],
    ["contains and equals", [contains("okay"), equals("ok")], 1, "text", /rule 1: no answer/],
    ["equals twice", [equals("a"), equals("b")], 1, "text", /rule 1: no answer/],
    ["with a good one before", [statusIn(200), equals("a"), lacks("a")], 2, "text", /rule 2: no answer/],
    ["with a good one between", [equals("a"), statusIn(200), lacks("a")], 2, "text", /rule 1: no answer/],
  ];
  it.each(bad)("%s is refused", (_, rules, rule, field, message) => {
    expect(checkResponseRules(rules)).toEqual([{ rule, field, message: expect.stringMatching(message) }]);
  });

  test("every fault is named", () => {
    expect(checkResponseRules([contains(""), statusIn(), lacks("")]).map(({ rule }) => rule)).toEqual([
      0, 1, 2,
    ]);
  });
});
