import { createHmac } from "node:crypto";
import type { Browser, Page } from "@playwright/test";
import { Webhook } from "standardwebhooks";
import type { ReceivedRequest } from "#test/helpers/receiver.ts";
import { browserOf, e2ePassword, signedIn } from "./signed-in.ts";
import { eventType, expect, expectAccessible, open, test, type World } from "./support.ts";
import { routesOf } from "./web-routes.ts";

const template = (page: Page) => page.getByRole("textbox", { name: "URL template" });
const preview = (page: Page) => page.getByRole("region", { name: "Preview" });
const submit = (page: Page) => page.getByRole("button", { name: "Create the endpoint" });

/** A page of a new user of the test's affiliate, with the faults that any page is watched for. */
async function ownersPage(
  { browser, baseURL, world }: { browser: Browser; baseURL: string | undefined; world: World },
  viewport: { width: number; height: number },
): Promise<Page> {
  const context = await signedIn(browser, { role: "affiliate", affiliate: world.key, baseURL });
  const page = await context.newPage();
  await page.setViewportSize(viewport);
  return page;
}

/** Of an invitation that the first admin makes. */
async function invitationLink(
  browser: Browser,
  { affiliate, baseURL }: { affiliate: string; baseURL: string | undefined },
): Promise<string> {
  const context = await browserOf(browser, { reader: "staff", affiliate, baseURL });
  const answer = await context.request.post("/api/console/invitations", {
    data: { email: `ann-${affiliate}@posthorn.example`, role: "affiliate", affiliate },
  });
  expect(answer.status()).toBe(201);
  const { url } = await answer.json();
  await context.close();
  return url;
}

async function expectNoOverflow(page: Page): Promise<void> {
  const overflow = await page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth);
  expect(overflow).toBeLessThanOrEqual(0);
}

const sizes = [
  { name: "a phone", width: 390, height: 844 },
  { name: "a desk", width: 1440, height: 900 },
];

for (const { name, ...viewport } of sizes) {
  test.describe(`on ${name}`, () => {
    test.use({ storageState: { cookies: [], origins: [] }, viewport });

    test("who is invited pastes a tracker's URL, fixes a macro, sees a test and the first delivery, and resends it", async ({
      page,
      browser,
      baseURL,
      world,
    }) => {
      test.slow();
      const path = world.path("tracker");
      world.receiver.script(path, { body: "OK" });
      await page.goto(await invitationLink(browser, { affiliate: world.key, baseURL }));
      await page.getByLabel("Name").fill(`Ann ${world.key}`);
      await page.getByLabel("Password").fill(e2ePassword());
      await page.getByRole("button", { name: "Accept the invitation" }).click();
      await page.getByRole("link", { name: "Sign in" }).click();
      await page.getByRole("textbox", { name: "E-mail" }).fill(`ann-${world.key}@posthorn.example`);
      await page.getByLabel("Password").fill(e2ePassword());
      await page.getByRole("button", { name: "Sign in", exact: true }).click();
      await expect(page).toHaveURL(/\/portal$/);
      await expect(page.getByRole("heading", { level: 1 })).toHaveText("There is nowhere to send to yet");
      await expectAccessible(page);
      await expectNoOverflow(page);

      await page.getByRole("link", { name: "Create your first endpoint" }).click();
      await expect(page).toHaveURL(/\/portal\/endpoints\/new$/);
      await expect(page.getByRole("heading", { level: 1, name: "New endpoint" })).toBeVisible();
      await expect(page.getByLabel("Affiliate", { exact: true })).toHaveCount(0);
      await page.getByRole("radio", { name: "Postback" }).check();
      await page.getByLabel("Name", { exact: true }).fill("My tracker");
      await template(page).fill(`${world.receiver.url(path)}?cid=#clickid#&amount={payot}`);
      await page.getByRole("button", { name: "Use the translation" }).click();
      await page.getByRole("button", { name: "Use {payout}" }).click();
      const fixed = `${world.receiver.url(path)}?cid={click_id}&amount={payout}`;
      await expect(template(page)).toHaveValue(fixed);
      await expect(preview(page).getByRole("group", { name: "Exact URL" })).toHaveText(
        `${world.receiver.url(path)}?cid=clk_7f3a9c21d4&amount=45.00`,
      );
      await expectAccessible(page);
      await expectNoOverflow(page);
      await submit(page).click();
      await expect(page.getByRole("heading", { name: "My tracker was created" })).toBeFocused();

      await page.getByRole("button", { name: "Send it now" }).click();
      await expect(page.getByRole("alertdialog")).toContainText("Your server gets one request");
      await page.getByRole("alertdialog").getByRole("button", { name: "Send it now" }).click();
      const result = page.getByRole("status", { name: "Result of the test" });
      await expect(result).toContainText(/Would count as delivered.*200/);
      expect(world.receiver.requests(path)).toHaveLength(1);
      await expectAccessible(page);
      await expectNoOverflow(page);

      await page.getByRole("link", { name: "Open the endpoint" }).click();
      await expect(page.getByRole("heading", { level: 1, name: "My tracker" })).toBeVisible();
      await expect(page.getByText("Nothing has been sent here yet.")).toBeVisible();
      await world.delivery(await world.publish('{"click_id":"a&b","payout":"7.10"}'), "delivered");
      expect(world.receiver.requests(path).at(-1)?.path).toBe(`${path}?cid=a%26b&amount=7.10`);
      await expect(page.getByText("Everything arrives.")).toBeVisible();
      await expect(page.getByText(/(nothing was sent|no attempt) in 24 h/i)).toHaveCount(0);
      await expectAccessible(page);
      await expectNoOverflow(page);
      const main = page.getByRole("navigation", { name: "Main" });
      await main.getByRole("link", { name: "Home" }).click();
      await expect(page.getByRole("heading", { level: 1 })).toHaveText("Everything is arriving");

      await main.getByRole("link", { name: "Deliveries" }).click();
      const box = page.getByRole("textbox", { name: "Find a delivery by click id" });
      await box.fill("a&b");
      await box.press("Enter");
      await expect(page.getByRole("group", { name: "URL", exact: true })).toHaveText(
        `${world.receiver.url(path)}?cid=a%26b&amount=7.10`,
      );
      await page.getByRole("button", { name: "Resend same URL" }).click();
      await expect(page.getByText("Put back to be sent.")).toBeVisible();
      await expect.poll(() => world.receiver.requests(path).length).toBe(3);
    });

    test("what fails is told first and in plain words, with what to look at", async ({
      browser,
      baseURL,
      world,
    }) => {
      const [good, bad] = [world.path("good"), world.path("bad")];
      world.receiver.script(bad, { status: 401 });
      await world.createEndpoint({ name: "Works", url: world.receiver.url(good) });
      await world.createEndpoint({ name: "Token changed", url: world.receiver.url(bad) });
      await world.publish("{}");
      await Promise.all([world.receiver.waitFor(good, 1), world.receiver.waitFor(bad, 1)]);
      const page = await ownersPage({ browser, baseURL, world }, viewport);
      await open(page, "/portal");
      await expect(page.getByRole("heading", { level: 1 })).toHaveText("Not everything is arriving");
      const cards = page.getByRole("list", { name: "Your endpoints, what needs you first" });
      const first = cards.getByRole("listitem").first();
      await expect(first).toContainText("Token changed");
      await expect(first).toContainText(/Nothing has arrived since \d\d:\d\d\./);
      await expect(first).toContainText("(it answered 401). Has the token changed?");
      await expect(first.getByRole("link", { name: "1 given up on" })).toBeVisible();
      await expect(cards).toContainText("Everything arrives.");
      await first.getByRole("link", { name: "Send a test" }).click();
      await expect(page).toHaveURL(/\/portal\/endpoints\/[0-9a-f-]{36}#test$/);
      await page.getByRole("button", { name: "Send it now" }).click();
      await page.getByRole("alertdialog").getByRole("button", { name: "Send it now" }).click();
      await expect(page.getByRole("status", { name: "Result of the test" })).toContainText(
        /Would not count as delivered.*401.*Your server refused our credentials\. Has the token changed\?/,
      );

      await page.getByRole("button", { name: "Pause", exact: true }).click();
      await page.getByRole("alertdialog").getByRole("button", { name: "Pause", exact: true }).click();
      await expect(page.getByText(/Nothing is sent: .* paused it/)).toBeVisible();
      await page.getByRole("link", { name: "Edit", exact: true }).click();
      await page.getByLabel("URL", { exact: true }).fill(world.receiver.url(good));
      await page.getByRole("button", { name: "Save" }).click();
      await page.getByRole("button", { name: "Resume" }).click();
      await page.getByRole("alertdialog").getByRole("button", { name: "Resume" }).click();
      await expect(page.getByRole("alertdialog")).toHaveCount(0);
      await expect(page.getByRole("button", { name: "Pause", exact: true })).toBeVisible();
      await page.getByRole("button", { name: "Delete" }).click();
      await page.getByRole("alertdialog").getByRole("button", { name: "Delete the endpoint" }).click();
      await expect(page).toHaveURL(/\/portal\/endpoints$/);
      await expect(page.getByRole("link", { name: "Works" })).toBeVisible();
      await expect(page.getByRole("link", { name: "Token changed" })).toHaveCount(0);
      await page.context().close();
    });

    test("a secret is rotated while deliveries flow, and none fails where both are known", async ({
      browser,
      baseURL,
      world,
    }) => {
      test.slow();
      const path = world.path("signed");
      const known: string[] = [];
      // A server that verifies what comes with any of the secrets that it knows.
      world.receiver.script(path, (request) => ({ status: isSigned(request, known) ? 200 : 401 }));
      const endpoint = await world.createEndpoint({ name: "Verified", url: world.receiver.url(path) });
      known.push(endpoint.secret);
      const page = await ownersPage({ browser, baseURL, world }, viewport);
      await open(page, `/portal/endpoints/${endpoint.id}`);
      const events: string[] = [];
      const flow = async (count: number) => {
        for (let sent = 0; sent < count; sent += 1) events.push(await world.publish("{}"));
      };
      await flow(5);
      const flowing = flow(15);
      await page.getByRole("button", { name: "Rotate" }).click();
      await page.getByRole("alertdialog").getByRole("button", { name: "Rotate" }).click();
      const shown = page.getByText(/^whsec_/);
      await expect(shown).toBeVisible();
      const second = (await shown.textContent()) ?? "";
      expect(second).not.toBe(endpoint.secret);
      known.push(second);
      await expect(page.getByText(/Old secret valid until (today|tomorrow) \d\d:\d\d/)).toBeVisible();
      await flowing;
      await flow(5);
      for (const event of events) await world.delivery(event, "delivered");
      const requests = world.receiver.requests(path);
      expect(requests.filter((request) => !isSigned(request, known))).toEqual([]);
      expect(requests.filter((request) => isSigned(request, [second])).length).toBeGreaterThan(0);
      expect(requests.length).toBe(events.length);
      await expectAccessible(page);

      // The first one ends; what comes is signed by the second alone.
      await page.getByRole("button", { name: /^Revoke/ }).click();
      await page.getByRole("alertdialog").getByRole("button", { name: "Revoke at once" }).click();
      await expect(page.getByText(/Old secret valid until/)).toHaveCount(0);
      await page.getByRole("button", { name: "Hide" }).click();
      await expect(shown).toHaveCount(0);

      await page.getByRole("button", { name: "Reveal" }).click();
      const dialog = page.getByRole("dialog", { name: "Reveal the signing secret" });
      await dialog.getByLabel("Your password").fill("not my password");
      await dialog.getByLabel("Your password").press("Enter");
      await expect(dialog).toContainText("That is not your password.");
      await expectAccessible(page);
      await dialog.getByLabel("Your password").fill(e2ePassword());
      await dialog.getByLabel("Your password").press("Enter");
      await expect(shown).toHaveText(second);
      await page.context().close();
    });
  });
}

function isSigned({ headers, body }: ReceivedRequest, secrets: readonly string[]): boolean {
  const pairs = headers.flatMap((name, place) =>
    place % 2 === 0 ? [[name.toLowerCase(), headers[place + 1] ?? ""]] : [],
  );
  return secrets.some((secret) => {
    try {
      new Webhook(secret).verify(body.toString(), Object.fromEntries(pairs));
      return true;
    } catch {
      return false;
    }
  });
}

test("the secret of a signed postback is rotated behind a pause, as its dialog says, and nothing is refused", async ({
  browser,
  baseURL,
  world,
}) => {
  const path = world.path("signed-url");
  const state = { secret: "" };
  const isSignedUrl = (url: string) => {
    const [, signed = "", given] = /^(.*)[?&]sig=([0-9a-f]{64})$/.exec(url) ?? [];
    const secret = Buffer.from(state.secret.slice("whsec_".length), "base64");
    return given === createHmac("sha256", secret).update(signed).digest("hex");
  };
  world.receiver.script(path, (request) => ({
    status: isSignedUrl(world.receiver.url(request.path)) ? 200 : 401,
  }));
  const endpoint = await world.createEndpoint({
    name: "Signed URL",
    kind: "postback",
    url: `${world.receiver.url(path)}?cid={click_id}`,
    event_types: [eventType],
    postback: { sign: true },
  });
  state.secret = endpoint.secret;
  await world.delivery(await world.publish('{"click_id":"one"}'), "delivered");
  const page = await ownersPage({ browser, baseURL, world }, { width: 390, height: 844 });
  await open(page, `/portal/endpoints/${endpoint.id}`);
  const dialog = page.getByRole("alertdialog");
  await page.getByRole("button", { name: "Pause", exact: true }).click();
  await dialog.getByRole("button", { name: "Pause", exact: true }).click();
  await expect(page.getByText(/Nothing is sent: .* paused it/)).toBeVisible();
  const waits = await world.publish('{"click_id":"two"}');
  await page.getByRole("button", { name: "Rotate" }).click();
  // A URL has one signature: no overlap is promised.
  await expect(dialog.getByRole("combobox")).toHaveCount(0);
  await expect(dialog).toContainText("pause the endpoint first");
  await expectAccessible(page);
  await dialog.getByRole("button", { name: "Rotate" }).click();
  const shown = page.getByText(/^whsec_/);
  await expect(shown).toBeVisible();
  await expect(page.getByText(/Old secret valid until/)).toHaveCount(0);
  state.secret = (await shown.textContent()) ?? "";
  await page.getByRole("button", { name: "Resume" }).click();
  await dialog.getByRole("button", { name: "Resume" }).click();
  await world.delivery(waits, "delivered");
  expect(world.receiver.requests(path)).toHaveLength(2);
  await page.context().close();
});

test("another's endpoint is a 404 on every page of the portal, and so is nonsense", async ({
  browser,
  baseURL,
  world,
  request,
}) => {
  const foreign = await request.post("/api/v1/affiliates", {
    headers: { authorization: `Bearer ${process.env.POSTHORN_E2E_API_KEY}` },
    data: { key: `${world.key}-other`, name: "Another" },
  });
  expect(foreign.status()).toBe(201);
  const own = await world.createEndpoint({ name: "Mine", url: world.receiver.url(world.path("mine")) });
  const theirs = await world.createEndpoint({
    name: "Theirs",
    affiliate: `${world.key}-other`,
    url: world.receiver.url(world.path("theirs")),
  });
  const context = await signedIn(browser, { role: "affiliate", affiliate: world.key, baseURL });
  const routes = routesOf("page.tsx").filter((route) => /^\/portal\/endpoints\/\[id\]/.test(route));
  expect(routes).toEqual([
    "/portal/endpoints/[id]",
    "/portal/endpoints/[id]/edit",
    "/portal/endpoints/[id]/history",
  ]);
  for (const route of routes) {
    const status = async (id: string) => (await context.request.get(route.replace("[id]", id))).status();
    expect(await status(own.id), route).toBe(200);
    expect(await status(theirs.id), route).toBe(404);
    expect(await status("nobody-has-this"), route).toBe(404);
    const answer = await context.request.get(route.replace("[id]", theirs.id));
    expect(await answer.text()).not.toContain("Theirs");
  }
  const list = await context.request.get("/portal/endpoints");
  expect(await list.text()).toContain("Mine");
  expect(await list.text()).not.toContain("Theirs");
  await context.close();
});

test("everything goes by keyboard", async ({ browser, baseURL, world }) => {
  const endpoint = await world.createEndpoint({
    name: "By keys",
    url: world.receiver.url(world.path("keys")),
  });
  const page = await ownersPage({ browser, baseURL, world }, { width: 1440, height: 900 });
  await open(page, "/portal");
  await page.keyboard.press("Tab");
  await expect(page.getByRole("link", { name: "Skip to the content" })).toBeFocused();
  await page.keyboard.press("Enter");
  await expect(page.getByRole("main")).toBeFocused();
  await page.keyboard.press("g");
  await page.keyboard.press("e");
  await expect(page).toHaveURL(/\/portal\/endpoints$/);
  await expect(page.getByRole("row").nth(1)).toBeVisible();
  await page.keyboard.press("j");
  await page.keyboard.press("Enter");
  await expect(page).toHaveURL(new RegExp(`/portal/endpoints/${endpoint.id}$`));
  await expect(page.getByRole("heading", { level: 1, name: "By keys" })).toBeVisible();
  await page.keyboard.press("g");
  await page.keyboard.press("o");
  await expect(page).toHaveURL(/\/portal$/);
  await page.keyboard.press("?");
  const sheet = page.getByRole("dialog", { name: "Keyboard shortcuts" });
  await expect(sheet).toBeVisible();
  await expect(sheet.getByText("Go to Events")).toHaveCount(0);
  await page.keyboard.press("Escape");
  await expect(sheet).toHaveCount(0);
  await page.keyboard.press("ControlOrMeta+k");
  await expect(page.getByRole("combobox", { name: "Page or endpoint" })).toBeFocused();
  await page.keyboard.type("By ke");
  await expect(page.getByRole("option", { name: /By keys/ })).toBeVisible();
  await page.keyboard.press("Enter");
  await expect(page).toHaveURL(new RegExp(`/portal/endpoints/${endpoint.id}$`));
  await page.context().close();
});

test("the guide is told by the catalogue, the policy and the settings", async ({
  browser,
  baseURL,
  world,
}) => {
  const page = await ownersPage({ browser, baseURL, world }, { width: 390, height: 844 });
  await open(page, "/portal/guide");
  await expect(page.getByRole("table", { name: "Headers of a webhook" })).toContainText("webhook-signature");
  const schedule = page.getByRole("table", { name: "Retry schedule of postbacks" });
  await expect(schedule.getByRole("row")).toHaveCount(15);
  await page.locator("summary").filter({ hasText: "ftd" }).click();
  const fields = page.getByRole("table", { name: "Fields of ftd" });
  await expect(fields.getByRole("rowheader", { name: "{click_id}" })).toBeVisible();
  await expect(page.getByRole("list", { name: "Source addresses" })).toHaveText("192.0.2.10");
  await page.getByText("Python", { exact: true }).click();
  await expect(page.getByRole("group", { name: "Python sample" })).toContainText("compare_digest");
  await expectNoOverflow(page);
  await page.context().close();
});
