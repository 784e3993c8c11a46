import type { APIRequestContext, Page } from "@playwright/test";
import { browserOf } from "./signed-in.ts";
import {
  expect,
  expectAccessible,
  expectAccessibleButForColours,
  expectAccessibleInBothThemes,
  open,
  test,
  type World,
} from "./support.ts";
import { existingPath, pagesByReader, type Records } from "./web-routes.ts";

const longName =
  "A tracker with a name so long that it has to be cut somewhere, or wrapped, or both of these";

/** What pages show when there is nothing, or no such thing. */
const otherStates = [
  "/endpoints?view=all",
  "/endpoints?q=nothing-is-called-so",
  "/deliveries?endpoint=not-an-id",
  "/requeues?state=failed",
  "/dead-letters?reason=certificate_invalid",
];

/** Long texts everywhere, and a record of each kind that holds them. */
async function makeRecords(request: APIRequestContext, world: World): Promise<Records> {
  world.receiver.script(world.path("down"), { status: 400, body: "x".repeat(5_000) });
  const endpoint = await world.createEndpoint({
    name: longName,
    url: `${world.receiver.url(world.path("down"))}?${"q".repeat(500)}`,
  });
  const event = await world.publish(`{"text":"${"y".repeat(3_000)}"}`);
  // Given up at once: nothing is on its way when it is put back.
  const delivery = await world.delivery(event, "dead_letter");
  const requeue = await request.post("/api/v1/requeues", {
    headers: { authorization: `Bearer ${process.env.POSTHORN_E2E_API_KEY}` },
    data: { filter: { ids: [delivery.id] }, reason: longName },
  });
  expect(requeue.ok(), await requeue.text()).toBe(true);
  return {
    affiliate: world.key,
    apiKey: "of-no-page",
    delivery: delivery.id,
    endpoint: endpoint.id,
    event,
    eventType: "deposit",
    requeue: (await requeue.json()).id,
  };
}

async function expectGoodLooks(page: Page, path: string): Promise<void> {
  await page.setViewportSize({ width: 390, height: 844 });
  await page.emulateMedia({ colorScheme: "light" });
  await page.goto(path);
  await expect(page.getByRole("heading", { level: 1 })).toHaveCount(1);
  await expect(page.getByRole("status").filter({ hasText: "Loading" })).toHaveCount(0);
  await expectFit(page, path);
  await expectAccessibleButForColours(page);
  await page.setViewportSize({ width: 1440, height: 900 });
  await expectFit(page, path);
  await expectAccessibleInBothThemes(page);
}

async function expectFit(page: Page, path: string): Promise<void> {
  const overflow = await page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth);
  expect(overflow, path).toBeLessThanOrEqual(0);
}

const { staff, affiliate, visitor } = pagesByReader();
// By halves, so that both workers have something to do.
for (const [part, paths] of [
  ["lists and forms", staff.filter((route) => !route.includes("["))],
  ["records", staff.filter((route) => route.includes("["))],
  ["other states", otherStates],
] as const) {
  test(`axe finds nothing, and nothing overflows, in both themes: ${part}`, async ({
    page,
    request,
    world,
  }) => {
    test.setTimeout(240_000);
    const records = await makeRecords(request, world);
    for (const path of paths) await expectGoodLooks(page, existingPath(path, records));
  });
}

test("axe finds nothing, and nothing overflows, in both themes: portal and entrance", async ({
  browser,
  baseURL,
  request,
  world,
}) => {
  test.slow();
  const records = await makeRecords(request, world);
  for (const [reader, paths] of [
    ["affiliate", affiliate],
    ["visitor", visitor],
  ] as const) {
    const context = await browserOf(browser, { reader, affiliate: world.key, baseURL });
    const page = await context.newPage();
    for (const path of paths) await expectGoodLooks(page, existingPath(path, records));
    await context.close();
  }
});

test("axe finds nothing in dialogs, menus and toasts, in both themes", async ({ page, world }) => {
  const endpoint = await world.createEndpoint({
    name: "Looked at",
    url: world.receiver.url(world.path("looked-at")),
  });
  await open(page, `/endpoints/${endpoint.id}`);
  await page.getByRole("button", { name: "Delete" }).click();
  await expect(page.getByRole("alertdialog")).toBeVisible();
  await expectAccessibleInBothThemes(page);
  await page.keyboard.press("Escape");
  await page.getByRole("button", { name: "Pause" }).click();
  await page.getByRole("alertdialog").getByRole("button", { name: "Pause" }).click();
  await expect(page.getByText("Paused.", { exact: false }).first()).toBeVisible();
  await expectAccessibleInBothThemes(page);
  await page.getByRole("button", { name: "Reveal" }).click();
  await expectAccessibleInBothThemes(page);
  await open(page, "/deliveries");
  await page.getByRole("combobox", { name: "State" }).click();
  await expect(page.getByRole("option", { name: "Delivered" })).toBeVisible();
  await expectAccessibleInBothThemes(page);
});

test("the theme and the zone can be chosen and are remembered", async ({ page }) => {
  await open(page, "/overview");
  await page.getByRole("button", { name: "Dark theme" }).click();
  await expect(page.locator("html")).toHaveAttribute("data-theme", "dark");
  await page.getByRole("button", { name: "UTC" }).click();
  await page.reload();
  await expect(page.locator("html")).toHaveAttribute("data-theme", "dark");
  await expect(page.getByRole("button", { name: "UTC" })).toHaveAttribute("aria-pressed", "true");
});

test("on a phone the navigation opens from the menu", async ({ page }) => {
  await page.setViewportSize({ width: 390, height: 844 });
  await open(page, "/overview");
  await page.getByRole("button", { name: "Menu" }).click();
  await expectAccessible(page);
  await page.getByRole("dialog").getByRole("link", { name: "Deliveries" }).click();
  await expect(page).toHaveURL(/\/deliveries$/);
  await expect(page.getByRole("dialog")).toHaveCount(0);
});
