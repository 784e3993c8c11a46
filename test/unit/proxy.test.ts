import { unstable_doesMiddlewareMatch as doesMatch } from "next/experimental/testing/server.js";
import { NextRequest } from "next/server.js";
import { expect, test } from "vitest";
import { config, proxy } from "../../proxy.ts";

const answerTo = (host: string) =>
  proxy(new NextRequest("http://localhost:3000/overview", { headers: { host } }));

test.each(["localhost:3000", "127.0.0.1:3000", "[::1]:3000"])("pages answer under %s", async (host) => {
  expect((await answerTo(host)).status).toBe(200);
});

test.each(["evil.example", "localhost.evil.example:3000", "192.168.1.2:3000"])(
  "pages do not answer under %s, which is neither this machine nor the deployment's origin",
  async (host) => {
    expect((await answerTo(host)).status).toBe(403);
  },
);

test("the rendering learns the path that was asked for, and not one that the request came with", async () => {
  const answer = await proxy(
    new NextRequest("http://localhost/deliveries?state=failed", {
      headers: { host: "localhost", "x-posthorn-path": "/elsewhere" },
    }),
  );
  expect(answer.headers.get("x-middleware-request-x-posthorn-path")).toBe("/deliveries?state=failed");
});

test("the rendering is given the nonce of the answer's policy, and not one that the request came with", async () => {
  const answer = await proxy(
    new NextRequest("http://localhost/", {
      headers: { host: "localhost", "x-nonce": "mine", "content-security-policy": "script-src 'nonce-mine'" },
    }),
  );
  const policy = answer.headers.get("content-security-policy");
  const nonce = /'nonce-([^']+)'/.exec(policy ?? "")?.[1];
  expect(Buffer.from(nonce ?? "", "base64")).toHaveLength(16);
  expect(answer.headers.get("x-middleware-request-x-nonce")).toBe(nonce);
  expect(answer.headers.get("x-middleware-request-content-security-policy")).toBe(policy);
});

test("it stands before every page, and lets the API and the probes pass with their bodies whole", () => {
  const isGuarded = (url: string) => doesMatch({ config, nextConfig: {}, url });
  for (const url of ["/", "/overview", "/endpoints/new", "/apis", "/healthz-of-others"])
    expect(isGuarded(url), url).toBe(true);
  for (const url of [
    "/api/v1/events",
    "/api/console/overview",
    "/healthz",
    "/readyz",
    "/_next/static/x.js",
  ]) {
    expect(isGuarded(url), url).toBe(false);
  }
});
