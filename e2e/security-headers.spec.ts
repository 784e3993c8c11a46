import { readFileSync } from "node:fs";
import path from "node:path";
import type { APIRequestContext, APIResponse, Page } from "@playwright/test";
import { makeRecords } from "./records.ts";
import { browserOf, signedIn } from "./signed-in.ts";
import { expect, open, test } from "./support.ts";
import {
  existingPath,
  pagesByReader,
  type Reader,
  type Records,
  routesOf,
  unknownPath,
} from "./web-routes.ts";

const routes = routesOf("route.ts");
const usualMethods = ["GET", "POST", "PUT", "PATCH", "DELETE"];
/** The server answers these by itself, whatever the route: each is sent to some of the routes. */
const strangeMethods = ["HEAD", "OPTIONS", "TRACE", "PROPFIND"];
const authorization = `Bearer ${process.env.POSTHORN_E2E_API_KEY}`;

function expectStandardHeaders(answer: APIResponse, what: string) {
  const headers = answer.headers();
  expect.soft(headers, what).toMatchObject({
    "x-content-type-options": "nosniff",
    "referrer-policy": "same-origin",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "permissions-policy": expect.stringContaining("camera=()"),
    "content-security-policy": expect.stringContaining("frame-ancestors 'none'"),
  });
  expect.soft(headers["x-powered-by"], what).toBeUndefined();
  // Nobody has said that this system is reached by HTTPS.
  expect.soft(headers["strict-transport-security"], what).toBeUndefined();
}

/** A nonce that is new for each answer, and that every script of the page carries. */
async function expectPage(answer: APIResponse, seen: Set<string>) {
  expectStandardHeaders(answer, answer.url());
  const policy = answer.headers()["content-security-policy"] ?? "";
  const nonce = /script-src 'self' 'nonce-([A-Za-z0-9+/=]{24})' 'strict-dynamic';/.exec(policy)?.[1];
  expect.soft(nonce, answer.url()).toBeDefined();
  expect.soft(seen.has(nonce ?? ""), `${answer.url()} repeats a nonce`).toBe(false);
  seen.add(nonce ?? "");
  expect.soft(policy).not.toContain("unsafe-eval");
  expect.soft(policy).not.toMatch(/script-src[^;]*unsafe-inline|style-src [^;]*unsafe-inline/);
  for (const directive of ["object-src 'none'", "base-uri 'none'", "form-action 'self'"])
    expect.soft(policy).toContain(directive);
  expect.soft(answer.headers()["cache-control"], answer.url()).toContain("no-store");
  const html = await answer.text();
  const scripts = html.match(/<script\b[^>]*>/g) ?? [];
  expect.soft(scripts.length, answer.url()).toBeGreaterThan(0);
  expect
    .soft(
      scripts.filter((tag) => !tag.includes(`nonce="${nonce}"`)),
      answer.url(),
    )
    .toEqual([]);
  expect.soft(html, answer.url()).not.toMatch(/<[^>]*\son[a-z]+="/);
}

test("every page has a policy with a nonce of its own, whatever it answers", async ({
  browser,
  baseURL,
  request,
  world,
}) => {
  const records = await makeRecords(request, world);
  const seen = new Set<string>();
  for (const [reader, pages] of Object.entries(pagesByReader()) as [Reader, string[]][]) {
    expect(pages.length).toBeGreaterThan(3);
    const context = await browserOf(browser, { reader, affiliate: world.key, baseURL });
    const { request } = context;
    for (const route of pages) {
      const found = await request.get(existingPath(route, records));
      expect.soft(found.status(), route).toBe(200);
      await expectPage(found, seen);
      if (route.includes("[")) await expectPage(await request.get(unknownPath(route)), seen);
      const foreign = await request.get(existingPath(route, records), { headers: { host: "evil.example" } });
      expect.soft(foreign.status(), route).toBe(403);
      expectStandardHeaders(foreign, `${route} under a foreign host`);
      expect.soft(foreign.headers()["cache-control"]).toBe("no-store");
    }
    await context.close();
  }
  const missing = await request.get("/there/is/no/such/page");
  expect(missing.status()).toBe(404);
  await expectPage(missing, seen);
  await expectPage(await request.get("/deliveries/%FF"), seen);
});

/** Those that the route has, one that it has not, and a strange one. */
function methodsOf(route: string, at: number): string[] {
  const source = readFileSync(path.join(import.meta.dirname, "..", "app", route, "route.ts"), "utf8");
  const own = usualMethods.filter((method) => new RegExp(`^export .*\\b${method}\\b`, "m").test(source));
  const missing = usualMethods.filter((method) => !own.includes(method)).slice(0, 1);
  return [...own, ...missing, strangeMethods[at % strangeMethods.length] ?? "HEAD"];
}

test("every route answers every method with the headers, and never with a 500", async ({
  browser,
  baseURL,
  world,
}) => {
  test.slow();
  // Somebody of this test's own, since some routes end sessions.
  const { request } = await signedIn(browser, { role: "admin", baseURL });
  const records = await makeRecords(request, world);
  expect(routes.length).toBeGreaterThan(40);
  for (const [at, route] of routes.entries()) {
    const methods = methodsOf(route, at);
    expect(methods.length, route).toBeGreaterThan(2);
    const paths = new Set([existingPath(route, records), unknownPath(route)]);
    for (const asked of paths) {
      for (const method of methods) {
        const answers = [{}, { authorization }].map((headers) =>
          refused(request, { path: asked, method, headers }),
        );
        for (const answer of await Promise.all(answers)) {
          const what = `${method} ${asked} ${answer.status()}`;
          expectStandardHeaders(answer, what);
          expect.soft(answer.status(), what).toBeLessThan(500);
          expect.soft(answer.headers()["content-security-policy"], what).toContain("default-src 'none'");
        }
      }
    }
  }
});

/** A call that is answered at once, or refused: with a body, where the method has one, that is no JSON. */
function refused(
  request: APIRequestContext,
  call: { path: string; method: string; headers: Record<string, string> },
): Promise<APIResponse> {
  const { path, method, headers } = call;
  if (!["POST", "PUT", "PATCH"].includes(method)) return request.fetch(path, { method, headers });
  return request.fetch(path, {
    method,
    headers: { ...headers, "content-type": "application/json" },
    data: "{",
  });
}

test("static files, and those that there are not, have the headers", async ({ request }) => {
  const html = await (await request.get("/overview")).text();
  const script = /src="(\/_next\/static\/[^"]+\.js)"/.exec(html)?.[1] ?? "";
  for (const path of [script, "/_next/static/none.js", "/icon.svg", "/api", "/healthz/none"])
    expectStandardHeaders(await request.get(path), path);
});

async function useEverything(page: Page, { endpoint }: Records) {
  await open(page, "/overview");
  for (const theme of ["Dark theme", "Light theme", "Theme of the system"])
    await page.getByRole("button", { name: theme }).click();
  await open(page, `/endpoints/${endpoint}`);
  await page.getByRole("button", { name: "Pause" }).click();
  await page.getByRole("alertdialog").getByRole("button", { name: "Pause" }).click();
  await expect(page.getByText("Paused.", { exact: false }).first()).toBeVisible();
  await expect(page.locator("[data-sonner-toast]")).toHaveCSS("position", "absolute");
  await page.getByRole("link", { name: "Overview" }).click();
  await page.locator(".recharts-surface").first().hover();
  await page.getByRole("link", { name: "Deliveries" }).click();
  await page.getByRole("combobox", { name: "State" }).click();
  await expect(page.getByRole("option", { name: "Delivered" })).toBeVisible();
  await page.keyboard.press("Escape");
}

// What the policy blocks is a fault of the page, which ends any test: each page is opened where its looks are judged.
test("nothing that is used on a page is blocked by its policy", async ({ page, request, world }) => {
  await useEverything(page, await makeRecords(request, world));
});

test("neither does a form that is filled in wrongly, nor a page that is missing", async ({ page }) => {
  await open(page, "/endpoints/new");
  await page.getByRole("button", { name: /^Create/ }).click();
  await expect(page.locator("[aria-invalid=true]").first()).toBeVisible();
  await open(page, "/event-types/new");
  await page.getByRole("button", { name: "Add the event type" }).click();
  await expect(page.locator("[aria-invalid=true]").first()).toBeVisible();
  const answer = await page.goto("/there/is/no/such/page");
  expect(answer?.status()).toBe(404);
  await page.getByRole("link", { name: "Go to the start page" }).click();
  await expect(page).toHaveURL(/\/overview$/);
  await page.getByRole("button", { name: "Dark theme" }).click();
});
