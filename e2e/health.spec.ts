import type { Page } from "@playwright/test";
import { expect, open, test, type World } from "./support.ts";

/** The number of a tile, and the page that it leads to. */
async function follow(page: Page, label: string): Promise<number> {
  await open(page, "/overview");
  const tile = page.getByRole("main").getByRole("link", { name: new RegExp(`^${label} ?[0-9–]`) });
  const number = Number((await tile.textContent())?.match(/[0-9]+/)?.[0]);
  await tile.click();
  await expect(page.getByRole("heading", { level: 1 })).not.toHaveText("Overview");
  return number;
}

const rowsOf = (page: Page, world: World) => page.getByRole("row").filter({ hasText: world.name });

/** An endpoint whose server has answered so to one event. */
async function makeAnswering(world: World, name: string, answer: { status: number }): Promise<string> {
  const path = world.path(name.toLowerCase().replaceAll(" ", "-"));
  world.receiver.script(path, answer);
  const { id } = await world.createEndpoint({
    name,
    url: world.receiver.url(path),
    retry: { max_attempts: 5, base_seconds: 3_600, cap_seconds: 3_600 },
  });
  await world.delivery(await world.publish("{}"), "failed", "dead_letter");
  return id;
}

test("endpoints open on those that fail, and each view has an address", async ({ page, world }) => {
  await makeAnswering(world, "Failing tracker", { status: 503 });
  await open(page, "/overview");
  await page.getByRole("navigation", { name: "Main" }).getByRole("link", { name: "Endpoints" }).click();
  const views = page.getByRole("navigation", { name: "Views" });
  await expect(views.getByRole("link", { name: "Failing" })).toHaveAttribute("aria-current", "page");
  const row = rowsOf(page, world);
  await expect(row).toContainText("Failing");
  await expect(row).toContainText(/Answers 503 since \d\d:\d\d/);

  await views.getByRole("link", { name: "Paused" }).click();
  await expect(page).toHaveURL(/\?view=paused$/);
  await expect(row).toHaveCount(0);
  await views.getByRole("link", { name: "All" }).click();
  await expect(page).toHaveURL(/\?view=all$/);
  await expect(row).toHaveCount(1);
  await page.reload();
  await expect(views.getByRole("link", { name: "All" })).toHaveAttribute("aria-current", "page");
  await page.goBack();
  await expect(views.getByRole("link", { name: "Paused" })).toHaveAttribute("aria-current", "page");
  await views.getByRole("link", { name: "Failing" }).click();
  await expect(page).toHaveURL(/\/endpoints$/);

  await row.getByRole("link", { name: "Failing tracker" }).click();
  await expect(page.getByText(/^Answers 503 since \d\d:\d\d; 1 failure, the last /)).toBeVisible();
});

test("tiles of the overview lead to lists with as many rows", async ({ page, world }) => {
  await makeAnswering(world, "Tile tracker", { status: 503 });
  await makeAnswering(world, "Gone tracker", { status: 410 });
  for (const [label, view] of [
    ["Failing", "failing"],
    ["Disabled", "disabled"],
    ["Breaker open", "breaker_open"],
    ["Slow", "slow"],
    ["Paused", "paused"],
  ] as const) {
    // Other tests go on meanwhile, so number and list may lie a moment apart.
    await expect(async () => {
      const number = await follow(page, label);
      await expect(page).toHaveURL(new RegExp(`/endpoints\\?view=${view}$`));
      await expect(
        page
          .getByRole("row")
          .or(page.getByRole("heading", { level: 2 }))
          .first(),
      ).toBeVisible();
      const rows = await page.locator("a[data-row-link]").count();
      expect(rows, label).toBe(Math.min(number, 50));
    }).toPass();
  }
  await expect(async () => {
    const number = await follow(page, "Awaiting retry");
    await expect(page).toHaveURL(/\/deliveries\?state=failed$/);
    await expect(page.locator("a[data-row-link]").first()).toBeVisible();
    expect(await page.locator("a[data-row-link]").count()).toBe(Math.min(number, 50));
  }).toPass();
  await expect(async () => {
    const number = await follow(page, "Open alerts");
    await expect(page).toHaveURL(/\/alerts\?view=open$/);
    await expect(
      page
        .getByRole("row")
        .or(page.getByRole("heading", { level: 2 }))
        .first(),
    ).toBeVisible();
    expect(await page.locator("a[data-row-link]").count()).toBe(Math.min(number, 50));
  }).toPass();
  await follow(page, "Oldest waiting");
  await expect(page).toHaveURL(/\/queue$/);
});

test("the queue shows its worker and what waits where", async ({ page, world }) => {
  await makeAnswering(world, "Queued tracker", { status: 503 });
  await open(page, "/queue");
  const workers = page.getByRole("table", { name: "Workers, those alive first" });
  await expect(workers.getByRole("row").nth(1)).toContainText("Alive");
  await expect(rowsOf(page, world)).toContainText("1 waiting");
  await page.route("**/api/console/queue", (route) => route.abort());
  await expect(page.getByRole("alert").filter({ hasText: "The latest refresh failed" })).toBeVisible();
  await expect(rowsOf(page, world)).toContainText("1 waiting");
});

test("an affiliate's page shows what is its own, and renames it", async ({ page, world }) => {
  await makeAnswering(world, "Its tracker", { status: 503 });
  await open(page, `/affiliates?q=${world.key}`);
  const row = page.getByRole("row").nth(1);
  await expect(row).toContainText("1 failing at");
  await row.getByRole("link", { name: world.name, exact: true }).click();
  await expect(page).toHaveURL(new RegExp(`/affiliates/${world.key}$`));
  const part = (name: string) => page.getByRole("region", { name });
  await expect(part("Endpoints").getByRole("row").nth(1)).toContainText("Its tracker");
  await expect(part("Latest deliveries").getByRole("row")).toHaveCount(2);
  await expect(part("Latest events").getByRole("row")).toHaveCount(2);

  await page.getByRole("button", { name: "Rename" }).click();
  const dialog = page.getByRole("dialog", { name: "Rename the affiliate" });
  await dialog.getByLabel("Name").fill(" ");
  await dialog.getByRole("button", { name: "Rename" }).click();
  await expect(dialog.getByLabel("Name")).toHaveAttribute("aria-invalid", "true");
  await dialog.getByLabel("Name").fill("Renamed by a test");
  await dialog.getByRole("button", { name: "Rename" }).click();
  await expect(page.getByRole("heading", { level: 1, name: "Renamed by a test" })).toBeVisible();
  await expect(part("Who did what")).toContainText("Affiliate edited");
});

test("an overview that cannot be read says so, and shows no number", async ({ page }) => {
  await page.route("**/api/console/overview", (route) =>
    route.fulfill({ status: 503, contentType: "application/problem+json", body: "{}" }),
  );
  await open(page, "/events");
  await page.getByRole("navigation", { name: "Main" }).getByRole("link", { name: "Overview" }).click();
  const notice = page.getByRole("main").getByRole("alert").first();
  await expect(notice).toContainText(/The overview could not be read|The latest refresh failed/);
});
