import { execFileSync } from "node:child_process";
import fc from "fast-check";
import { expect, test } from "vitest";
import { curlCommand } from "#lib/deliveries/curl.ts";

const webhook = {
  event_id: "evt_1",
  attempt_number: 2,
  kind: "webhook",
  headerNames: ["authorization"],
  signsUrl: false,
  request: {
    method: "POST",
    url: "https://example.com/hook?a=[1]",
    content_type: "application/json",
    body: `{"name":"O'Brien"}`,
  },
} as const;

test("a webhook is the request without what only we can know", () => {
  const { command, placeholders } = curlCommand(webhook);
  expect(command).toBe(`curl --globoff -X POST 'https://example.com/hook?a=[1]' \\
  -H 'content-type: application/json' \\
  -H 'webhook-id: evt_1' \\
  -H 'webhook-timestamp: <timestamp>' \\
  -H 'webhook-signature: <webhook-signature>' \\
  -H 'posthorn-attempt: 2' \\
  -H 'authorization: <authorization>' \\
  --data-binary '{"name":"O'\\''Brien"}'`);
  expect(placeholders).toEqual(["<timestamp>", "<webhook-signature>", "<authorization>"]);
});

test("a postback keeps its secrets as macros and says what is masked", () => {
  const { command, placeholders } = curlCommand({
    ...webhook,
    kind: "postback",
    headerNames: [],
    signsUrl: true,
    request: {
      method: "GET",
      url: "https://t.example/pb?c=••••&k={secret.token}",
      content_type: null,
      body: null,
    },
  });
  expect(command).toContain("'https://t.example/pb?c=••••&k={secret.token}&sig=<signature>'");
  expect(command).not.toContain("content-type");
  expect(command).not.toContain("--data");
  expect(placeholders).toEqual(["<signature>", "{secret.token}", "masked values (••••)"]);
});

test("whatever the URL and the body hold, the shell passes them on as they are", () => {
  const text = fc.string({ unit: "grapheme", maxLength: 40 }).filter((value) => !value.includes("\0"));
  fc.assert(
    fc.property(text, text, (path, body) => {
      const url = `https://example.com/${path}`;
      const { command } = curlCommand({
        ...webhook,
        headerNames: [],
        request: { ...webhook.request, url, body },
      });
      const printed = execFileSync("sh", ["-c", command.replace(/^curl/, "printf '%s\\0'")], {
        encoding: "utf8",
      });
      const given = printed.split("\0");
      expect(given).toContain(url);
      expect(given.at(given.indexOf("--data-binary") + 1)).toBe(body);
    }),
    { numRuns: 40 },
  );
});
