import type { APIRequestContext, Browser, BrowserContext, Page } from "@playwright/test";
import type { EndpointCreated } from "#lib/endpoints/schema.ts";
import { e2ePassword, makeUser } from "./signed-in.ts";
import { eventType, expect, open, test, type World } from "./support.ts";

/**
 * Markup, addresses and template marks that would run as code in some page. Whoever runs one sets `ran`. That the
 * policy would stop it is no excuse: whatever it blocks ends these tests as well.
 */
const hostile = [
  `"><script>ran=1</script>`,
  `<img src=x onerror="ran=1">`,
  `</textarea></style><svg/onload=ran=1>`,
  "javascript:ran=1",
  "[a](javascript:ran=1) **b** `c`",
  "{{constructor.constructor('ran=1')()}}",
].join(" ");
/** Where nothing but a stretch of it fits. */
const image = `<img src=x onerror="ran=1">`;

type Seeded = { endpoint: string; postback: string; event: string; deliveries: string[]; eventType: string };

/** Calls the public API. */
function caller(request: APIRequestContext, key = process.env.POSTHORN_E2E_API_KEY) {
  return async <T = unknown>(method: string, path: string, body?: unknown): Promise<T> => {
    const answer = await request.fetch(`/api/v1/${path}`, {
      method,
      headers: {
        authorization: `Bearer ${key}`,
        ...(body === undefined ? {} : { "content-type": "application/json" }),
      },
      ...(body === undefined ? {} : { data: JSON.stringify(body) }),
    });
    expect(answer.ok(), `${path}: ${await answer.text()}`).toBe(true);
    return answer.json() as Promise<T>;
  };
}

async function seed(request: APIRequestContext, world: World): Promise<Seeded> {
  const call = caller(request);
  await call("PATCH", `affiliates/${world.key}`, { name: image });

  const eventType = `script_${world.key.replaceAll("-", "_")}`;
  const field = { name: "note", description: image, kind: "string", example: image };
  await call("POST", "event-types", { name: eventType, description: hostile, fields: [field] });

  const path = world.path("hostile");
  world.receiver.script(path, {
    status: 302,
    headers: { location: "javascript:ran=1", "x-hostile": image, "content-type": "text/html" },
    body: hostile,
  });
  const settings = {
    event_types: [eventType],
    filters: [{ field: "note", is: "one_of", values: [hostile, image] }],
  };
  const endpoint = await world.createEndpoint({
    ...settings,
    name: hostile,
    url: world.receiver.url(path),
    headers: [{ name: "X-Hostile", value: image }],
    response_rules: [{ kind: "body_contains", text: hostile, retry: false }],
  });
  const postback = await call<EndpointCreated>("POST", "endpoints", {
    ...settings,
    affiliate: world.key,
    kind: "postback",
    name: image,
    url: `${world.receiver.url(path)}?n={note}&t=%3Cimg%20src=x%20onerror=ran=1%3E`,
    postback: {
      method: "POST",
      body: JSON.stringify({ literal: image, note: "{note}" }),
      content_type: "application/json",
    },
  });
  await call("POST", `endpoints/${postback.id}/reveal-secret`, { reason: hostile });

  const event = await call<{ id: string }>("POST", "events", {
    type: eventType,
    affiliate: world.key,
    ordering_key: image,
    data: { note: hostile, [image]: hostile },
  });
  await world.delivery(event.id, "dead_letter");
  await expect
    .poll(async () => {
      const { data } = await call<{ data: { state: string }[] }>("GET", `deliveries?event=${event.id}`);
      return data.map(({ state }) => state);
    })
    .toEqual(["dead_letter", "dead_letter"]);
  const { data } = await call<{ data: { id: string }[] }>("GET", `deliveries?event=${event.id}`);
  await call("POST", `endpoints/${endpoint.id}/breaker/hold`, { reason: hostile });
  return {
    endpoint: endpoint.id,
    postback: postback.id,
    event: event.id,
    deliveries: data.map(({ id }) => id),
    eventType,
  };
}

/** Nothing ran, nothing became an element or a link, and each text stands in the page, or in one of its fields. */
async function expectInert(page: Page, texts: string[]) {
  await expect(page.getByRole("status").filter({ hasText: "Loading" })).toHaveCount(0);
  for (const text of texts) {
    await expect
      .poll(() => page.evaluate(shownText), { message: `${page.url()} shows ${text}` })
      .toContain(text.replace(/\s+/g, " "));
  }
  await expect(page.locator("img, svg[onload], [onerror], a[href^='javascript:' i]")).toHaveCount(0);
  expect(await page.evaluate(() => (window as { ran?: unknown }).ran)).toBeUndefined();
}

function shownText(): string {
  const fields = [...document.querySelectorAll<HTMLInputElement>("input, textarea")].map(
    ({ value }) => value,
  );
  return [document.body.textContent, ...fields].join(" ").replace(/\s+/g, " ");
}

test("what outsiders write is text on every page that shows it", async ({ page, request, world }) => {
  test.slow();
  const { endpoint, postback, event, deliveries, eventType } = await seed(request, world);
  const pages: [path: string, texts: string[]][] = [
    ["/overview", []],
    [`/affiliates?q=${world.key}`, [image]],
    [`/affiliates/${world.key}`, [hostile, image]],
    [`/endpoints?view=all&affiliate=${world.key}`, [hostile, image]],
    [`/endpoints/${endpoint}`, [hostile, image]],
    [`/endpoints/${endpoint}/edit`, [hostile]],
    [`/endpoints/${postback}`, [image]],
    [`/endpoints/${postback}/edit`, [image]],
    [`/deliveries?affiliate=${world.key}`, [hostile, image]],
    [`/events?affiliate=${world.key}`, [image]],
    [`/events/${event}`, [JSON.stringify(hostile), hostile, image]],
    [`/event-types`, [hostile]],
    [`/event-types/${eventType}`, [hostile, image]],
    [`/event-types/${eventType}/edit`, [hostile, image]],
    ...deliveries.map((id): [string, string[]] => [`/deliveries/${id}`, [hostile, image]]),
  ];
  for (const [path, texts] of pages) {
    await open(page, path);
    await expectInert(page, texts);
  }
});

test("what a link to a page says is text too", async ({ page }) => {
  test.slow();
  const said = encodeURIComponent(image);
  const paths = [
    `/deliveries/${said}`,
    `/events/${said}`,
    `/endpoints/${said}`,
    `/endpoints/${said}/edit`,
    `/event-types/${said}`,
    `/event-types/${said}/edit`,
    `/${said}`,
    ...["endpoints?q", "affiliates?q", "deliveries?state", "deliveries?affiliate", "events?affiliate"].map(
      (list) => `/${list}=${said}`,
    ),
  ];
  for (const path of paths) {
    await page.goto(path);
    await expect(page.getByRole("heading", { level: 1 })).toBeVisible();
    await expectInert(page, []);
  }
});

test("what is looked for is text too", async ({ page }) => {
  await open(page, "/overview");
  await page.getByLabel("Find by id or value").fill(image);
  await page.keyboard.press("Enter");
  await expectInert(page, [image]);
});

test("what users are called, and what they give as a reason, is text too", async ({
  page,
  browser,
  baseURL,
  request,
  world,
}) => {
  test.slow();
  const { deliveries } = await seed(request, world);
  const headers = { authorization: `Bearer ${process.env.POSTHORN_E2E_API_KEY}` };
  const key = await request.post("/api/v1/api-keys", { headers, data: { name: image, purpose: "read" } });
  expect(key.status()).toBe(201);
  const requeue = await request.post("/api/v1/requeues", {
    headers,
    data: { filter: { ids: deliveries }, reason: hostile },
  });
  expect(requeue.status(), await requeue.text()).toBe(201);
  const email = `${world.key}@posthorn.example`;
  const invited = await page.request.post("/api/console/invitations", { data: { email, role: "support" } });
  expect(invited.status()).toBe(201);
  const token = new URL((await invited.json()).url).searchParams.get("token");
  const visitor = await browser.newContext({
    ...(baseURL === undefined ? {} : { baseURL }),
    storageState: { cookies: [], origins: [] },
  });
  const accepted = await visitor.request.post("/api/console/invitations/accept", {
    data: { token, name: image, password: "four little horns" },
  });
  expect(accepted.status()).toBe(204);
  const { id } = await requeue.json();
  const pages: [path: string, texts: string[]][] = [
    [`/settings/users?q=${email}`, [image]],
    [`/settings/invitations?q=${email}`, [email]],
    ["/settings/api-keys", [image]],
    ["/requeues", []],
    [`/requeues/${id}`, [hostile]],
    [`/audit?object_kind=requeue&object_id=${id}`, []],
    ["/dead-letters", []],
    ["/alerts", []],
  ];
  for (const [path, texts] of pages) {
    await open(page, path);
    await expectInert(page, texts);
  }
  await visitor.close();
});

/** A browser that calls itself by markup, in which nobody is signed in. */
function hostileBrowser(browser: Browser, baseURL: string | undefined): Promise<BrowserContext> {
  return browser.newContext({
    ...(baseURL === undefined ? {} : { baseURL }),
    storageState: { cookies: [], origins: [] },
    userAgent: hostile,
  });
}

/** Calls the console's API in that browser; its answer, if it has one. */
async function tell<T = unknown>(
  by: APIRequestContext,
  method: string,
  path: string,
  data?: object,
): Promise<T> {
  const answer = await by.fetch(`/api/console/${path}`, { method, ...(data ? { data } : {}) });
  expect(answer.ok(), `${path}: ${await answer.text()}`).toBe(true);
  return (answer.status() === 204 ? undefined : await answer.json()) as T;
}

test("what an affiliate writes, and what staff answer, is text in the portal and in the audit log", async ({
  page,
  browser,
  baseURL,
  request,
  world,
}) => {
  test.slow();
  const path = world.path("hostile");
  world.receiver.script(path, { status: 400, body: hostile });
  const { email } = await makeUser("affiliate", world.key);
  const user = await hostileBrowser(browser, baseURL);
  await tell(user.request, "POST", "sign-in", { email, password: e2ePassword() });
  const mine = { affiliate: world.key, url: `${world.receiver.url(path)}?x=${encodeURIComponent(image)}` };
  const webhook = await tell<EndpointCreated>(user.request, "POST", "endpoints", { ...mine, name: hostile });
  const postback = await tell<EndpointCreated>(user.request, "POST", "endpoints", {
    ...mine,
    kind: "postback",
    name: image,
    event_types: [eventType],
    postback: {
      method: "POST",
      body: JSON.stringify({ literal: image }),
      content_type: "application/json",
    },
  });
  await tell(user.request, "PATCH", "notices/settings", { webhook_url: mine.url });
  const event = await world.publish(JSON.stringify({ note: hostile }));
  const delivery = await world.delivery(event, "dead_letter");
  const elsewhere = `http://127.0.0.2:9/javascript:ran=1?x=${encodeURIComponent(image)}`;
  await tell(user.request, "PATCH", `endpoints/${webhook.id}`, { url: elsewhere });

  const { data } = await tell<{ data: { id: string; endpoint: { id: string } }[] }>(
    page.request,
    "GET",
    "approvals",
  );
  const change = data.find((one) => one.endpoint.id === webhook.id)?.id;
  await tell(page.request, "POST", `approvals/${change}/refuse`, { reason: `No ${hostile}` });
  await tell(page.request, "POST", `endpoints/${webhook.id}/reveal-secret`, { reason: `Why ${hostile}` });
  await tell(page.request, "POST", `deliveries/${delivery.id}/reveal`, { reason: `Why ${hostile}` });
  const { key } = await caller(request)<{ key: string }>("POST", "api-keys", {
    name: image,
    purpose: "manage",
  });
  const link = await caller(request, key)<{ id: string; url: string }>(
    "POST",
    `affiliates/${world.key}/portal-link`,
    {},
  );
  const visitor = await hostileBrowser(browser, baseURL);
  const token = new URL(link.url).searchParams.get("token");
  await tell(visitor.request, "POST", "portal-enter", { token });

  const portal = await user.newPage();
  const pages: [path: string, texts: string[]][] = [
    ["/portal", [hostile, image]],
    ["/portal/endpoints", [hostile, image]],
    [`/portal/endpoints/${webhook.id}`, [hostile, `Reason: No ${hostile}`, elsewhere]],
    [`/portal/endpoints/${webhook.id}/edit`, [hostile, mine.url]],
    [`/portal/endpoints/${postback.id}/edit`, [image]],
    ["/portal/deliveries", [hostile]],
    [`/portal/deliveries/${delivery.id}`, [hostile]],
    ["/portal/notices", [mine.url]],
    ["/settings/account", [hostile]],
  ];
  for (const [path, texts] of pages) {
    await open(portal, path);
    await expectInert(portal, texts);
  }
  const linked = await visitor.newPage();
  await open(linked, "/portal");
  await expectInert(linked, [`Portal link of ${image}`]);

  await open(page, "/approvals?view=decided");
  await expectInert(page, [hostile]);
  await open(page, `/audit?affiliate=${world.key}`);
  await expectInert(page, [hostile, image, `Portal link of ${image}`]);
  await expect(page.getByTitle(hostile, { exact: true }).first()).toBeAttached();
  const changes = page.getByRole("button", { name: /^Show / });
  const shown: string[] = [];
  for (let at = 0; at < (await changes.count()); at += 1) {
    await changes.nth(at).click();
    await expect(page.getByRole("dialog").getByRole("table")).toBeVisible();
    shown.push(await page.evaluate(shownText));
    await expectInert(page, []);
    await page.keyboard.press("Escape");
    await expect(page.getByRole("dialog")).toHaveCount(0);
  }
  for (const [reason, times] of [
    [`No ${hostile}`, 1],
    [`Why ${hostile}`, 2],
  ] as const)
    expect(shown.filter((text) => text.includes(reason))).toHaveLength(times);
  await Promise.all([user.close(), visitor.close()]);
});
