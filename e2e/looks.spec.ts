import type { Page } from "@playwright/test";
import { expect, expectAccessible, open, test, type World } from "./support.ts";

const longName =
  "A tracker with a name so long that it has to be cut somewhere, or wrapped, or both of these";

const listPages = [
  "/overview",
  "/endpoints",
  "/endpoints?view=all",
  "/endpoints?q=nothing-is-called-so",
  "/deliveries",
  "/deliveries?endpoint=not-an-id",
  "/queue",
  "/requeues",
  "/requeues?state=failed",
  "/dead-letters",
  "/dead-letters?reason=certificate_invalid",
  "/alerts",
  "/events",
  "/affiliates",
  "/event-types",
  "/event-types/deposit",
  "/event-types/deposit/edit",
  "/event-types/new",
  "/audit",
  "/settings/api-keys",
  "/settings/users",
  "/settings/invitations",
];

/** Long texts everywhere, and a record of each kind that holds them. */
async function makeRecords(world: World): Promise<string[]> {
  world.receiver.script(world.path("down"), { status: 500, body: "x".repeat(5_000) });
  const endpoint = await world.createEndpoint({
    name: longName,
    url: `${world.receiver.url(world.path("down"))}?${"q".repeat(500)}`,
  });
  const eventId = await world.publish(`{"text":"${"y".repeat(3_000)}"}`);
  const { id } = await world.delivery(eventId, "failed");
  return [
    "/endpoints/new",
    `/endpoints/${endpoint.id}`,
    `/endpoints/${endpoint.id}/edit`,
    `/deliveries/${id}`,
    `/events/${eventId}`,
    `/affiliates/${world.key}`,
  ];
}

async function expectGoodLooks(page: Page, path: string): Promise<void> {
  await open(page, path);
  await expect(page.getByRole("heading", { level: 1 })).toHaveCount(1);
  await expect(page.getByRole("status").filter({ hasText: "Loading" })).toHaveCount(0);
  await expectAccessible(page);
  const overflow = await page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth);
  expect(overflow, path).toBeLessThanOrEqual(0);
}

for (const { theme, width } of [
  { theme: "light", width: 1440 },
  { theme: "dark", width: 1440 },
  { theme: "light", width: 390 },
] as const) {
  test.describe(`${theme}, ${width} px`, () => {
    test.slow();
    test.use({ colorScheme: theme, viewport: { width, height: 900 } });

    test("axe finds nothing in any list, and nothing overflows", async ({ page, world }) => {
      await makeRecords(world);
      for (const path of listPages) await expectGoodLooks(page, path);
    });

    test("axe finds nothing in any form or record, and nothing overflows", async ({ page, world }) => {
      for (const path of await makeRecords(world)) await expectGoodLooks(page, path);
    });
  });
}

for (const theme of ["light", "dark"] as const) {
  test(`axe finds nothing in dialogs, menus and toasts: ${theme}`, async ({ page, world }) => {
    await page.emulateMedia({ colorScheme: theme });
    const endpoint = await world.createEndpoint({
      name: "Looked at",
      url: world.receiver.url(world.path("looked-at")),
    });
    await open(page, `/endpoints/${endpoint.id}`);
    await page.getByRole("button", { name: "Delete" }).click();
    await expect(page.getByRole("alertdialog")).toBeVisible();
    await expectAccessible(page);
    await page.keyboard.press("Escape");
    await page.getByRole("button", { name: "Pause" }).click();
    await page.getByRole("alertdialog").getByRole("button", { name: "Pause" }).click();
    await expect(page.getByText("Paused.", { exact: false }).first()).toBeVisible();
    await expectAccessible(page);
    await page.getByRole("button", { name: "Reveal" }).click();
    await expectAccessible(page);
    await open(page, "/deliveries");
    await page.getByRole("combobox", { name: "State" }).click();
    await expect(page.getByRole("option", { name: "Delivered" })).toBeVisible();
    await expectAccessible(page);
  });
}

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
