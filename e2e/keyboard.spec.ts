import { expect, open, test } from "./support.ts";

test("every step from the overview to a delivery goes by keyboard", async ({ page, world }) => {
  await world.createEndpoint({ name: "Keyed tracker", url: world.receiver.url(world.path("keyed")) });
  await world.publish("{}");
  const eventId = await world.publish("{}");
  const { id } = await world.delivery(eventId, "delivered");
  await open(page, "/overview");
  await page.keyboard.press("Tab");
  await expect(page.getByRole("link", { name: "Skip to the content" })).toBeFocused();
  await page.keyboard.press("Enter");
  await expect(page.getByRole("main")).toBeFocused();

  await page.keyboard.press("g");
  await page.keyboard.press("d");
  await expect(page).toHaveURL(/\/deliveries$/);
  await expect(page.getByRole("row").nth(2)).toBeVisible();
  await page.keyboard.press("j");
  await page.keyboard.press("j");
  await page.keyboard.press("k");
  await expect(page.getByRole("row").nth(1).getByRole("link").first()).toBeFocused();
  await page.keyboard.press("Enter");
  await expect(page).toHaveURL(/\/deliveries\/\d+$/);

  for (const [wanted, path] of [
    [id, `/deliveries/${id}`],
    [eventId, `/events/${eventId}`],
  ] as const) {
    await page.keyboard.press("/");
    await expect(page.getByRole("textbox", { name: "Find by id or value" })).toBeFocused();
    await page.keyboard.type(wanted);
    await page.keyboard.press("Enter");
    await expect(page).toHaveURL(new RegExp(`${path}$`));
    await expect(page.getByRole("textbox", { name: "Find by id or value" })).toHaveValue("");
  }
  await page.keyboard.press("/");
  await page.keyboard.type("no-such-id");
  await page.keyboard.press("Enter");
  await expect(page.getByText("No delivery, event or endpoint has the id “no-such-id”.")).toBeVisible();
  await page.keyboard.press("Escape");
  await expect(page.getByRole("textbox", { name: "Find by id or value" })).not.toBeFocused();
});

test("the sheet of shortcuts opens, closes, and gives the focus back", async ({ page }) => {
  await open(page, "/overview");
  const button = page.getByRole("button", { name: "Shortcuts" });
  await button.focus();
  await page.keyboard.press("?");
  const sheet = page.getByRole("dialog", { name: "Keyboard shortcuts" });
  await expect(sheet).toContainText("Go to Deliveries");
  await page.keyboard.press("g");
  await page.keyboard.press("d");
  await expect(page).toHaveURL(/\/overview$/);
  await page.keyboard.press("Escape");
  await expect(sheet).toHaveCount(0);
  await expect(button).toBeFocused();
});

test("a filter and its removal go by keyboard", async ({ page }) => {
  await open(page, "/deliveries");
  await page.getByRole("combobox", { name: "State" }).focus();
  await page.keyboard.press("Enter");
  await expect(page.getByRole("combobox", { name: "Search state" })).toBeFocused();
  await page.keyboard.type("dead");
  await page.keyboard.press("Enter");
  await expect(page).toHaveURL(/state=dead_letter/);
  await page.getByRole("button", { name: "Remove the filter State" }).focus();
  await page.keyboard.press("Enter");
  await expect(page).toHaveURL(/\/deliveries$/);
});
