import type { Page } from "@playwright/test";
import { expect, open, test } from "./support.ts";

const press = async (page: Page, ...keys: string[]) => {
  for (const key of keys) await page.keyboard.press(key);
};

/** The address in a tab of its own shows the same. */
async function expectSameInNewTab(page: Page, shows: (tab: Page) => Promise<void>) {
  await shows(page);
  const tab = await page.context().newPage();
  await open(tab, page.url());
  await shows(tab);
  await tab.close();
}

test("support finds what failed, reads why, and resends it, by keyboard alone", async ({ page, world }) => {
  const path = world.path("support");
  world.receiver.script(path, { status: 422, body: "no such click" }, { status: 200 });
  const endpoint = await world.createEndpoint({ name: "Support tracker", url: world.receiver.url(path) });
  const { id } = await world.delivery(await world.publish('{"n":1}'), "dead_letter");
  const { id: newer } = await world.delivery(await world.publish('{"n":2}'), "delivered");

  // To the endpoint, by its name.
  await open(page, "/overview");
  await press(page, "ControlOrMeta+k");
  const palette = page.getByRole("dialog", { name: "Go to anything" });
  await expect(palette.getByRole("combobox")).toBeFocused();
  await page.keyboard.type("Support trac");
  const option = palette.getByRole("option", { name: `Support tracker ${world.key}` });
  await expect(option).toBeVisible();
  await expect(async () => {
    if ((await option.getAttribute("aria-selected")) !== "true") await press(page, "ArrowDown");
    await expect(option).toHaveAttribute("aria-selected", "true", { timeout: 200 });
  }).toPass();
  await press(page, "Enter");
  await expect(page).toHaveURL(new RegExp(`/endpoints/${endpoint.id}$`));
  await expect(palette).toHaveCount(0);

  // To its delivery that failed, from the list that says so.
  await press(page, "g", "l");
  await expect(page).toHaveURL(/\/dead-letters$/);
  await open(page, `/deliveries?state=dead_letter&affiliate=${world.key}`);
  await expectSameInNewTab(page, async (tab) => {
    await expect(tab.getByRole("row")).toHaveCount(2);
    await expect(tab.getByText("1 match", { exact: true })).toBeVisible();
  });
  await press(page, "j", "Enter");
  const detail = new RegExp(`/deliveries/${id}\\?state=dead_letter&affiliate=${world.key}$`);
  await expect(page).toHaveURL(detail);
  await expectSameInNewTab(page, async (tab) => {
    await expect(tab.getByText("no such click")).toBeVisible();
    await expect(tab.getByRole("link", { name: "Deliveries, filtered" })).toBeVisible();
  });

  // Nothing of this list stands beside it; the other delivery is in another.
  await press(page, "j", "k");
  await expect(page).toHaveURL(detail);
  await press(page, "r");
  await expect(page.getByText("Put back to be sent.")).toBeVisible();
  await expect(page.getByRole("listitem").filter({ hasText: "Attempt 2" })).toContainText("Delivered");

  await open(page, `/deliveries/${newer}?affiliate=${world.key}`);
  await expect(page.getByRole("link", { name: "Next delivery" })).toBeVisible();
  await press(page, "j");
  await expect(page).toHaveURL(new RegExp(`/deliveries/${id}\\?affiliate=`));
  await expect(page.getByRole("link", { name: "Previous delivery" })).toBeVisible();
  await press(page, "k");
  await expect(page).toHaveURL(new RegExp(`/deliveries/${newer}\\?affiliate=`));
});

test("the palette goes to pages, affiliates and any id, and leaves fields and dialogs alone", async ({
  page,
  world,
}) => {
  await world.createEndpoint({ name: "Paletted", url: world.receiver.url(world.path("paletted")) });
  const { id } = await world.delivery(await world.publish("{}"), "delivered");
  await open(page, "/overview");
  const palette = page.getByRole("dialog", { name: "Go to anything" });
  for (const [text, option, url] of [
    ["audit", "Audit log", /\/audit$/],
    [id, "The delivery with this id", new RegExp(`/deliveries/${id}$`)],
    [world.name, world.name, new RegExp(`/affiliates/${world.key}$`)],
  ] as const) {
    await press(page, "ControlOrMeta+k");
    await expect(palette.getByRole("combobox")).toBeFocused();
    await page.keyboard.type(text);
    const wanted = palette.getByRole("option", { name: option }).first();
    await expect(wanted).toBeVisible();
    await expect(wanted).toHaveAttribute("aria-selected", "true");
    await press(page, "Enter");
    await expect(page).toHaveURL(url);
    await expect(palette).toHaveCount(0);
  }
  // Within a field a key is a letter, and the palette stays away.
  await press(page, "/");
  await page.keyboard.type("gd?jx");
  await press(page, "ControlOrMeta+k");
  await expect(page.getByRole("textbox", { name: "Find by id or value" })).toHaveValue("gd?jx");
  await expect(palette).toHaveCount(0);
  await press(page, "Escape", "?");
  await expect(page.getByRole("dialog", { name: "Keyboard shortcuts" })).toBeVisible();
  await press(page, "ControlOrMeta+k");
  await expect(palette).toHaveCount(0);
});
