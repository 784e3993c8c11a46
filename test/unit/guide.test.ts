import { expect, test } from "vitest";
import { classify } from "#lib/delivery/classify.ts";
import { webhookHeaders } from "#lib/delivery/request.ts";
import { retryPresets } from "#lib/endpoints/retry-presets.ts";
import { retrySchedule, retryWindowSeconds } from "#lib/endpoints/retry-words.ts";
import { answerGroups } from "#lib/guide/answers.ts";
import { headerMeanings } from "#lib/guide/headers.ts";

test("the guide names the headers that are sent, all of them, in their order", () => {
  const sent = webhookHeaders({ eventId: "evt_1", timestampSeconds: 1, signature: "v1,", attemptNumber: 1 });
  expect(headerMeanings.map(({ name }) => name)).toEqual(sent.filter((_, place) => place % 2 === 0));
});

test("every status stands in the group of what follows from it", () => {
  const outcomes = { delivered: "delivered", retried: "transient", given_up: "permanent" };
  const found = new Map<number, string>();
  for (const { kind, statuses } of answerGroups()) {
    for (const range of statuses.split(", ")) {
      const [from = 0, to = from] = range.split("–").map(Number);
      for (let status = from; status <= to; status += 1) {
        expect(found.has(status)).toBe(false);
        found.set(status, outcomes[kind]);
      }
    }
  }
  expect(found.size).toBe(400);
  for (const [status, outcome] of found) expect(classify({ status }).outcome, String(status)).toBe(outcome);
});

test.each(Object.entries(retryPresets))("the schedule of %s adds up to its window", (_, policy) => {
  const schedule = retrySchedule(policy);
  expect(schedule.map(({ attempt }) => attempt)).toEqual(
    Array.from({ length: policy.max_attempts - 1 }, (_, index) => index + 2),
  );
  let sum = 0;
  for (const { attempt, waitSeconds, sinceFirstSeconds } of schedule) {
    sum += waitSeconds;
    expect(sinceFirstSeconds).toBe(sum);
    // The backoff of product.md, "Defaults".
    expect(waitSeconds).toBe(Math.min(policy.cap_seconds, policy.base_seconds * 2 ** (attempt - 2)));
  }
  expect(sum).toBe(retryWindowSeconds(policy).longest);
});

test("a policy of one attempt has no schedule", () => {
  expect(retrySchedule({ max_attempts: 1, base_seconds: 1, cap_seconds: 1 })).toEqual([]);
});
