import { expect, open, test } from "./support.ts";

test("an endpoint's charts follow the range in the URL, and are tables too", async ({ page, world }) => {
  test.slow();
  world.receiver.script(world.path("down"), { status: 500 });
  const endpoint = await world.createEndpoint({ name: "Charted", url: world.receiver.url(world.path("ok")) });
  const other = await world.createEndpoint({ name: "Failing", url: world.receiver.url(world.path("down")) });
  const eventId = await world.publish("{}");
  await world.delivery(eventId, "delivered", "failed");

  await open(page, `/endpoints/${endpoint.id}`);
  await expect(page.getByRole("button", { name: "Last 24 h" })).toHaveAttribute("aria-pressed", "true");
  // Workers write what they have counted every 15 s.
  await expect(
    page.getByText(/^Of 1 attempt from .+: P50 .+ Its breaker was closed throughout\.$/),
  ).toBeVisible({
    timeout: 40_000,
  });
  await expect(page.getByText(/^Of 1 attempt from .+, 1 \(100\.0 %\) delivered\.$/)).toBeVisible();

  await page.getByRole("button", { name: "Last 1 h" }).click();
  await expect(page).toHaveURL(/\?range=1h$/);
  await page.reload();
  await expect(page.getByRole("button", { name: "Last 1 h" })).toHaveAttribute("aria-pressed", "true");
  const outcomes = page.getByRole("region", { name: "Performance" }).locator("div", { hasText: /^Outcomes/ });
  await expect(outcomes.getByText(/^Of 1 attempt/)).toBeVisible();

  await page.getByRole("button", { name: "Show as a table" }).first().click();
  const table = page.getByRole("table", { name: "Latency" });
  await expect(table.getByRole("columnheader")).toHaveText(["Minute", "P50", "P95", "P99", "Attempts"]);
  await expect(table.getByRole("row").filter({ hasText: /ms1$/ })).toHaveCount(1);
  await expect(table.getByRole("row").filter({ hasText: "nothing" }).first()).toBeAttached();

  await page.goBack();
  await expect(page.getByRole("button", { name: "Last 24 h" })).toHaveAttribute("aria-pressed", "true");

  await open(page, `/endpoints/${other.id}?range=1h`);
  // It may have been tried again meanwhile.
  await expect(
    page.getByText(/^Of \d+ attempts? from .+, 0 \(0\.0 %\) delivered; \d+ server errors? \(5xx\)\.$/),
  ).toBeVisible({ timeout: 40_000 });

  // Of all that an affiliate has, and of everything.
  for (const path of [`/affiliates/${world.key}`, "/overview"]) {
    await open(page, `${path}?range=1h`);
    const performance = page.getByRole("region", { name: "Performance" });
    await expect(performance.getByText(/^Of [\d,]+ attempts from .+: P50 .+, P95 .+, P99 /)).toBeVisible();
    await expect(
      performance.getByText(/^Of [\d,]+ attempts from .+ delivered; .*server errors? /),
    ).toBeVisible();
  }
});

test("dragging over a chart looks closer, and what the range cannot be is said", async ({ page, world }) => {
  const endpoint = await world.createEndpoint({ name: "Zoomed", url: world.receiver.url(world.path("ok")) });
  await world.delivery(await world.publish("{}"), "delivered");
  await open(page, `/endpoints/${endpoint.id}`);
  await expect(page.getByText(/^Of 1 attempt/).first()).toBeVisible({ timeout: 40_000 });
  const box = await page.locator(".recharts-surface").first().boundingBox();
  if (!box) throw new Error("no chart is drawn");
  const [y, at] = [box.y + 60, (part: number) => box.x + box.width * part];
  await page.mouse.move(at(0.5), y);
  await page.mouse.down();
  await page.mouse.move(at(0.8), y, { steps: 5 });
  await page.mouse.up();
  await expect(page).toHaveURL(/\?from=.+&to=.+/);
  await expect(page.getByRole("button", { name: "Chosen" })).toHaveAttribute("aria-pressed", "true");
  await expect(page.getByText(/^No attempt was made from/).first()).toBeVisible();
  await expect(page.getByText("No attempt was made in this range.").first()).toBeVisible();

  await open(page, `/endpoints/${endpoint.id}?from=2001-01-01T00:00:00Z`);
  await expect(page.getByRole("heading", { name: "Latency could not be read" })).toBeVisible();
  await expect(page.getByText("must be within the last 90 days").first()).toBeVisible();
});
