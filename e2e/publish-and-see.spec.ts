import { eventType, expect, open, reveal, test } from "./support.ts";

const data = '{"click_id":"abc", "id":9007199254740993,"payout":1.0,"x":1e400,"b":1,"a":2}';

test("an event published by HTTP is seen delivered, digit for digit", async ({ page, world }) => {
  const url = world.receiver.url(world.path("healthy"));
  world.receiver.script(world.path("healthy"), { status: 200, body: "thank you <b>very</b> much" });
  await world.createEndpoint({ name: "Healthy tracker", url });
  const eventId = await world.publish(data);
  const [received] = await world.receiver.waitFor(world.path("healthy"), 1);

  await open(page, `/deliveries?affiliate=${world.key}`);
  const row = page.getByRole("row").filter({ hasText: eventType });
  await expect(row).toContainText("Delivered");
  await expect(row).toContainText("200");
  await row.getByRole("link").first().click();

  await expect(page.getByRole("heading", { level: 1 })).toContainText("Delivery");
  await expect(page.getByText("Delivered", { exact: true }).first()).toBeVisible();
  await reveal(page);
  await expect(page.getByRole("group", { name: "Request body" })).toHaveText(received?.body.toString() ?? "");
  await expect(page.getByRole("group", { name: "Request body" })).toContainText(data);
  // Their answer is text, never markup.
  await expect(page.getByRole("group", { name: "Response body" })).toHaveText("thank you <b>very</b> much");

  await page.getByRole("link", { name: eventType }).click();
  await expect(page.getByText(eventId, { exact: false }).first()).toBeVisible();
  await reveal(page);
  await expect(page.getByRole("group", { name: "Data" })).toHaveText(data);
  await expect(page.getByRole("listitem").filter({ hasText: "Healthy tracker" })).toContainText("Delivered");
});

test("an event says who did not get it, and why", async ({ page, world }) => {
  await world.createEndpoint({
    name: "Registrations only",
    url: world.receiver.url(world.path("registrations")),
    event_types: ["registration"],
  });
  const eventId = await world.publish("{}");
  await open(page, `/events/${eventId}`);
  const recipient = page.getByRole("listitem").filter({ hasText: "Registrations only" });
  await expect(recipient).toContainText(`It does not subscribe to ${eventType}`);
  await expect(recipient).toContainText("Not sent");
});

test("the overview counts it and leads to the list", async ({ page, world }) => {
  await world.createEndpoint({ name: "Counted", url: world.receiver.url(world.path("counted")) });
  const eventId = await world.publish("{}");
  await world.delivery(eventId, "delivered");
  await open(page, "/");
  await expect(page).toHaveURL(/\/overview$/);
  const tile = page.getByRole("link", { name: /^Delivered/ });
  await expect(tile).toHaveText(/[1-9]/);
  await page.getByRole("button", { name: "Show as a table" }).first().click();
  await expect(page.getByRole("table", { name: "Requests a minute, last hour" })).toBeVisible();
  await tile.click();
  await expect(page).toHaveURL(/\/deliveries\?state=delivered&from=/);
  await expect(page.getByRole("row").nth(1)).toContainText("Delivered");
});
