import { eventType, expect, expectAccessible, find, open, reveal, test } from "./support.ts";

test("a click id is found, masked, and revealed with a reason", async ({ page, world }) => {
  const click = `clk/${world.key}`;
  const url = world.receiver.url(world.path("tracker"));
  world.receiver.script(world.path("tracker"), (request) => ({ status: 200, body: `got ${request.path}` }));
  await world.createEndpoint({
    name: "Tracker",
    kind: "postback",
    url: `${url}?cid={click_id}&goal={goal}&s={status}`,
    event_types: [eventType],
  });
  const eventId = await world.publish(`{"click_id": "${click}", "goal": "ftd", "status": "approved"}`);
  await world.delivery(eventId, "delivered");

  await open(page, "/overview");
  const asked: string[] = [];
  page.on("request", (request) => asked.push(request.url()));
  await find(page, click);
  await expect(page).toHaveURL(/\/deliveries\?q_hash=[0-9a-f]{32}$/);
  await expect(page.getByText("Matches: a searched value")).toBeVisible();
  await expectAccessible(page);
  await page.getByRole("link", { name: "Its events" }).click();
  await expect(page).toHaveURL(/\/events\?q_hash=/);
  await expect(page.getByRole("row")).toHaveCount(2);
  await page.goBack();
  await page.getByRole("row").nth(1).getByRole("link").first().click();

  await expect(page.getByText("Sensitive values are masked on this page.")).toBeVisible();
  const masked = `${url}?cid=••••${click.slice(-2)}&goal=ftd&s=approved`;
  await expect(page.getByRole("group", { name: "URL", exact: true })).toHaveText(masked);
  await expect(page.getByRole("group", { name: "Response body" })).toHaveText(/^got .*cid=••••.*goal=ftd/);
  await expect(page.locator("body")).not.toContainText(click);
  await expectAccessible(page);

  await page.getByRole("button", { name: "Reveal" }).click();
  const dialog = page.getByRole("dialog", { name: "Reveal the sensitive values" });
  await dialog.getByRole("textbox", { name: "Reason" }).fill("their ticket 4711");
  await expectAccessible(page);
  await dialog.getByRole("button", { name: "Reveal" }).click();
  const [received] = await world.receiver.waitFor(world.path("tracker"), 1);
  await expect(page.getByRole("group", { name: "URL", exact: true })).toHaveText(
    world.receiver.url(received?.path ?? ""),
  );
  await page.getByRole("button", { name: "Hide" }).click();
  await expect(page.getByRole("group", { name: "URL", exact: true })).toHaveText(masked);

  // Neither the value nor its encoded form was in any URL on the way.
  for (const url of asked) expect(decodeURIComponent(url)).not.toContain(click);
});

test("a value that only an event has which nobody got leads to that event", async ({ page, world }) => {
  const click = `lonely-${world.key}`;
  const eventId = await world.publish(`{"click_id":"${click}","sub1":"x"}`);
  await open(page, "/overview");
  await expect(async () => {
    await find(page, click);
    await expect(page).toHaveURL(new RegExp(`/events/${eventId}$`), { timeout: 1_000 });
  }).toPass();
  await expect(page.getByRole("group", { name: "Data" })).toHaveText(
    `{"click_id":"••••${click.slice(-2)}","sub1":"x"}`,
  );
  await reveal(page);
  await expect(page.getByRole("group", { name: "Data" })).toHaveText(`{"click_id":"${click}","sub1":"x"}`);
});
