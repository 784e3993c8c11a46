import type { APIRequestContext, APIResponse, Browser } from "@playwright/test";
import { type Caller, callers, pageAccess } from "#test/fixtures/access.ts";
import { signedIn } from "./signed-in.ts";
import { expect, test, type World } from "./support.ts";
import { existingPath, type Records, routesOf } from "./web-routes.ts";

const pages = routesOf("page.tsx");

test("every page has a row, and every row a page", () => {
  expect(pages).toEqual(Object.keys(pageAccess).sort());
});

/** Who asks, each in a browser of their own; keys as a program would send them. */
async function makeCallers(
  browser: Browser,
  { baseURL, world, request }: { baseURL: string | undefined; world: World; request: APIRequestContext },
): Promise<Record<Caller, APIRequestContext>> {
  const admin = { authorization: `Bearer ${process.env.POSTHORN_E2E_API_KEY}` };
  const post = async (path: string, data: object) => {
    const answer = await request.post(`/api/v1/${path}`, { headers: admin, data });
    expect(answer.status(), path).toBe(201);
    return answer.json();
  };
  const withKey = async (given: { purpose: string; affiliate?: string }, revoked = false) => {
    const { id, key } = await post("api-keys", { name: `Access of ${world.key}`, ...given });
    if (revoked) await request.delete(`/api/v1/api-keys/${id}`, { headers: admin });
    const context = await browser.newContext({
      ...(baseURL === undefined ? {} : { baseURL }),
      storageState: { cookies: [], origins: [] },
      extraHTTPHeaders: { authorization: `Bearer ${key}` },
    });
    return context.request;
  };
  const user = async (role: "admin" | "ops" | "support" | "affiliate", affiliate?: string) =>
    (await signedIn(browser, { role, baseURL, ...(affiliate ? { affiliate } : {}) })).request;
  const other = `${world.key}-other`;
  await post("affiliates", { key: other, name: other });
  const viewer = await user("support");
  const viewing = await viewer.post("/api/console/view-as", { data: { affiliate: world.key } });
  expect(viewing.status()).toBe(204);
  const visitor = async () => {
    const context = await browser.newContext({
      ...(baseURL === undefined ? {} : { baseURL }),
      storageState: { cookies: [], origins: [] },
    });
    return context.request;
  };
  const { url } = await post(`affiliates/${world.key}/portal-link`, {});
  const link = await visitor();
  const entered = await link.post("/api/console/portal-enter", {
    data: { token: new URL(url).searchParams.get("token") },
  });
  expect(entered.status()).toBe(204);
  return {
    anonymous: await visitor(),
    admin: await user("admin"),
    ops: await user("ops"),
    support: await user("support"),
    affiliate: await user("affiliate", world.key),
    other: await user("affiliate", other),
    viewer,
    link,
    publish: await withKey({ purpose: "publish" }),
    read: await withKey({ purpose: "read" }),
    limited: await withKey({ purpose: "read", affiliate: world.key }),
    manage: await withKey({ purpose: "manage" }),
    revoked: await withKey({ purpose: "manage" }, true),
  };
}

async function makeRecords(world: World): Promise<Records> {
  const endpoint = await world.createEndpoint({
    name: "Asked for",
    url: world.receiver.url(world.path("asked-for")),
  });
  const event = await world.publish("{}");
  const delivery = await world.delivery(event, "delivered");
  const nobodys = "01890a5d-ac96-774b-bcce-b302099a8057";
  return {
    affiliate: world.key,
    apiKey: nobodys,
    delivery: delivery.id,
    endpoint: endpoint.id,
    event,
    eventType: "deposit",
    requeue: nobodys,
  };
}

/** Whether the page itself was answered, or the start page led on to another; and not the way to sign in, or nothing. */
function isLetIn(route: string, answer: APIResponse): boolean {
  if (answer.status() === 200) return true;
  const location = answer.headers().location ?? "";
  if (answer.status() === 307 && route === "/") return !location.startsWith("/sign-in");
  // Who is signed in already has nothing to do there.
  if (answer.status() === 307 && route === "/sign-in") return location === "/";
  expect([307, 404], route).toContain(answer.status());
  if (answer.status() === 307) expect(location, route).toMatch(/^\/(sign-in(\?|$)|portal$)/);
  return false;
}

test("every page is for those whom the table names", async ({ browser, baseURL, world, request }) => {
  test.slow();
  const asking = await makeCallers(browser, { baseURL, world, request });
  const records = await makeRecords(world);
  for (const route of pages) {
    const path = existingPath(route, records);
    for (const caller of callers) {
      const answer = await asking[caller].get(path, { maxRedirects: 0 });
      expect.soft(isLetIn(route, answer), `${caller} at ${path}`).toBe(pageAccess[route]?.includes(caller));
    }
  }
});
