import { createHash } from "node:crypto";
import { readFile } from "node:fs/promises";
import { expect, test } from "vitest";
import { pagePolicy, standardHeaders } from "#lib/api/security-headers.ts";

test("HTTPS is asked for only where browsers come by it", () => {
  const asked = (publicUrl: string | undefined) => standardHeaders(publicUrl)["strict-transport-security"];
  expect(asked(undefined)).toBeUndefined();
  expect(asked("http://posthorn.example")).toBeUndefined();
  expect(asked("https://posthorn.example")).toBe("max-age=31536000");
});

test("code made of text, and styles without a nonce, pass in development only", () => {
  expect(pagePolicy({ nonce: "abc", isDevelopment: true })).toMatch(
    /script-src 'self' 'nonce-abc'.*'unsafe-eval'/,
  );
  const deployed = pagePolicy({ nonce: "abc", isDevelopment: false });
  expect(deployed).not.toContain("unsafe-eval");
  expect(deployed).toContain("style-src 'self' 'nonce-abc' 'sha256-");
});

test("the style that the toasts add is the one that the policy lets pass", async () => {
  const source = await readFile(new URL(import.meta.resolve("sonner")), "utf8");
  const [, text] = /^__insertCSS\((".*")\);?$/m.exec(source) ?? [];
  const hash = createHash("sha256")
    .update(JSON.parse(text ?? '""'))
    .digest("base64");
  expect(pagePolicy({ nonce: "abc", isDevelopment: false })).toContain(`'sha256-${hash}'`);
});
