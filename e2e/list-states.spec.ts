import { expect, open, test } from "./support.ts";

test("loading, slow, then a failed read that names the fault and the request", async ({ page }) => {
  let release = () => {};
  const held = new Promise<void>((resolve) => {
    release = resolve;
  });
  await page.route("**/api/console/deliveries?*", async (route) => {
    await held;
    await route.continue();
  });
  await open(page, "/deliveries?endpoint=not-an-id");
  await expect(page.getByRole("status").filter({ hasText: "Loading" })).toBeVisible();
  await expect(page.getByText("A narrower filter than Endpoint would be faster.")).toBeVisible();
  release();
  const alert = page.getByRole("main").getByRole("alert");
  await expect(alert.getByRole("heading", { name: "Deliveries could not be read" })).toBeVisible();
  await expect(alert).toContainText("endpoint");
  await expect(alert).toContainText("Request");
  await expect(alert.getByRole("button", { name: "Try again" })).toBeVisible();
  await expect(page.getByText("No deliveries yet")).toHaveCount(0);
});

test("empty teaches, and offers the first action", async ({ page, world }) => {
  const endpoint = await world.createEndpoint({
    name: "Unused tracker",
    url: world.receiver.url(world.path("unused")),
  });
  await open(page, `/endpoints/${endpoint.id}`);
  await expect(page.getByRole("heading", { name: "Nothing was sent to it yet" })).toBeVisible();
  await expect(page.getByText("Not used yet")).toBeVisible();
});

test("no match names the filters and clears them", async ({ page, world }) => {
  await world.createEndpoint({ name: "Findable tracker", url: world.receiver.url(world.path("findable")) });
  await open(page, `/endpoints?view=all&affiliate=${world.key}&q=nothing-is-called-so`);
  await expect(page.getByRole("heading", { name: "No endpoints match" })).toBeVisible();
  await expect(
    page.getByText(`Name or URL is nothing-is-called-so and Affiliate is ${world.key}.`),
  ).toBeVisible();
  await page.getByRole("button", { name: "Clear all filters" }).click();
  await expect(page).toHaveURL(/\/endpoints\?view=all$/);
  await expect(page.getByRole("link", { name: "Findable tracker" }).first()).toBeVisible();
});

test("a failed refresh keeps what was read and says so", async ({ page, world }) => {
  await world.createEndpoint({ name: "Steady tracker", url: world.receiver.url(world.path("steady")) });
  await open(page, `/endpoints?view=all&affiliate=${world.key}`);
  await expect(page.getByRole("link", { name: "Steady tracker" })).toBeVisible();
  await page.route("**/api/console/endpoints?*", (route) => route.abort());
  const notice = page.getByRole("alert").filter({ hasText: "The latest refresh failed" });
  await expect(notice).toBeVisible();
  await expect(page.getByRole("link", { name: "Steady tracker" })).toBeVisible();
  await page.unroute("**/api/console/endpoints?*");
  await notice.getByRole("button", { name: "Try again" }).click();
  await expect(notice).toHaveCount(0);
});

test("filters live in the URL, as chips, and survive a reload", async ({ page, world }) => {
  const endpoint = await world.createEndpoint({
    name: "Filtered tracker",
    url: world.receiver.url(world.path("filtered")),
  });
  await world.delivery(await world.publish("{}"), "delivered");
  await open(page, "/deliveries");
  await page.getByRole("combobox", { name: "State" }).click();
  await page.getByRole("option", { name: "Delivered" }).click();
  await page.getByRole("combobox", { name: "Endpoint", exact: true }).click();
  await page.getByRole("combobox", { name: "Search endpoint" }).fill("Filtered tracker");
  await page.getByRole("option", { name: `Filtered tracker ${world.key}` }).click();
  await expect(page).toHaveURL(new RegExp(`state=delivered&endpoint=${endpoint.id}`));
  await expect(page.getByRole("row")).toHaveCount(2);
  await page.reload();
  await expect(page.getByRole("combobox", { name: "Endpoint: Filtered tracker" })).toBeVisible();
  await expect(page.getByRole("row")).toHaveCount(2);
  await page.getByRole("button", { name: "Remove the filter State" }).click();
  await expect(page).toHaveURL(new RegExp(`/deliveries\\?endpoint=${endpoint.id}$`));
  await page.goBack();
  await expect(page).toHaveURL(/state=delivered/);
  await page.getByRole("button", { name: "Clear" }).click();
  await expect(page).toHaveURL(/\/deliveries$/);
});

test("pages follow each other by cursor, there and back", async ({ page, world }) => {
  await world.createEndpoint({ name: "Busy tracker", url: world.receiver.url(world.path("busy")) });
  for (let published = 0; published < 51; published += 1) await world.publish(`{"n":${published}}`);
  await world.receiver.waitFor(world.path("busy"), 51);
  await open(page, `/deliveries?affiliate=${world.key}`);
  await expect(page.getByRole("row")).toHaveCount(51);
  const first = await page.getByRole("row").nth(1).getByRole("link").first().textContent();
  await page.getByRole("button", { name: "Next page" }).click();
  await expect(page.getByRole("row")).toHaveCount(2);
  await expect(page).toHaveURL(/cursor=/);
  await page.reload();
  await expect(page.getByRole("row")).toHaveCount(2);
  await page.getByRole("button", { name: "Previous page" }).click();
  await expect(page.getByRole("row")).toHaveCount(51);
  await expect(page.getByRole("row").nth(1).getByRole("link").first()).toHaveText(first ?? "");
});

test("while somebody reads, known rows stay in place and new ones are counted", async ({ page, world }) => {
  await world.createEndpoint({ name: "Read tracker", url: world.receiver.url(world.path("read")) });
  await world.delivery(await world.publish("{}"), "delivered");
  await open(page, `/deliveries?affiliate=${world.key}`);
  const rows = page.getByRole("row");
  await rows.nth(1).hover();
  await world.publish("{}");
  await page.getByRole("button", { name: "1 new" }).click();
  await expect(rows).toHaveCount(3);
});
