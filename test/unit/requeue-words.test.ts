import { expect, test } from "vitest";
import { previewSentence } from "#lib/requeues/words.ts";

test.each([
  [{ accepted: 1, total: 1, endpoint_count: 1 }, "1 delivery of one endpoint will be put back to be sent."],
  [
    { accepted: 1_200, total: 1_500, endpoint_count: 3 },
    "1,200 of 1,500 deliveries of 3 endpoints will be put back to be sent.",
  ],
  [
    { accepted: 150, total: 152, endpoint_count: 1, at_most: true },
    "Up to 150 of 152 deliveries of one endpoint will be put back to be sent.",
  ],
])("%j: %s", (preview, words) => {
  expect(previewSentence({ at_most: false, ...preview }, "requeue")).toBe(words);
});
