import { expect, test } from "vitest";
import type { Problem } from "#lib/errors.ts";
import { createPublishLimit } from "#lib/events/publish-limit.ts";

/** What one key is answered: 0 when it passes, else the seconds until it may. */
function setUp(perSecond: number) {
  const admit = createPublishLimit(perSecond);
  return (nowMs: number, events = 1, keyId = "a") => {
    try {
      admit({ keyId, events, nowMs });
      return 0;
    } catch (error) {
      expect(error).toMatchObject({ status: 429, code: "too_many_requests" });
      return (error as Problem).retryAfterSeconds;
    }
  };
}

test("a second's worth passes at once, then as many as the time allows", () => {
  const ask = setUp(2);
  expect([ask(0), ask(0), ask(0), ask(499), ask(500), ask(500), ask(1_000)]).toEqual([0, 0, 1, 1, 0, 1, 0]);
});

test("an array larger than the limit passes, and is paid for by what follows", () => {
  const ask = setUp(10);
  expect([ask(0, 1_000), ask(0), ask(50_000), ask(99_099), ask(99_100)]).toEqual([0, 100, 50, 1, 0]);
});

test("a long pause saves up no more than a second's worth", () => {
  const ask = setUp(2);
  expect([ask(0), ask(900_000), ask(900_000), ask(900_000)]).toEqual([0, 0, 0, 1]);
});

test("each key has its own", () => {
  const ask = setUp(1);
  expect([ask(0), ask(0, 1, "b"), ask(0), ask(0, 1, "b")]).toEqual([0, 0, 1, 1]);
});
