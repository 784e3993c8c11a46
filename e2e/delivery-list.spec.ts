import { expect, open, test, type World } from "./support.ts";

async function publishTimes(world: World, times: number): Promise<void> {
  for (let published = 0; published < times; published += 1)
    await world.delivery(await world.publish(`{"n":${published}}`), "delivered", "dead_letter");
}

test("several states, attempts and a span of time are filters in the URL, counted, and removed one by one", async ({
  page,
  world,
}) => {
  const path = world.path("mixed");
  world.receiver.script(path, { status: 400 }, { status: 200 });
  await world.createEndpoint({ name: "Mixed tracker", url: world.receiver.url(path) });
  await publishTimes(world, 3);
  await open(page, `/deliveries?affiliate=${world.key}`);
  await expect(page.getByText("3 match", { exact: true })).toBeVisible();

  await page.getByRole("combobox", { name: "State", exact: true }).click();
  await page.getByRole("option", { name: "Dead letter" }).click();
  await page.getByRole("option", { name: "Discarded" }).click();
  await page.keyboard.press("Escape");
  await expect(page).toHaveURL(/state=dead_letter,discarded/);
  await expect(page.getByRole("row")).toHaveCount(2);
  await expect(page.getByRole("combobox", { name: "State: Dead letter, Discarded" })).toBeVisible();

  await page.getByRole("button", { name: "Attempts" }).click();
  await page.getByLabel("At least").fill("1");
  await page.getByLabel("At least").press("Enter");
  await expect(page).toHaveURL(/attempts_min=1/);
  await page.getByLabel("At most").fill("1");
  await page.getByLabel("At most").press("Enter");
  await page.keyboard.press("Escape");
  await expect(page.getByRole("button", { name: "Attempts: exactly 1" })).toBeVisible();

  await page.getByRole("button", { name: "Time" }).click();
  await page.getByRole("button", { name: "Last hour" }).click();
  await page.keyboard.press("Escape");
  await expect(page).toHaveURL(/from=/);
  await page.reload();
  await expect(page.getByRole("row")).toHaveCount(2);
  await page.getByRole("button", { name: "Remove the filter State" }).click();
  await expect(page.getByRole("row")).toHaveCount(4);
  await page.getByRole("button", { name: "Clear" }).click();
  await expect(page).toHaveURL(/\/deliveries$/);
});

test("rows are chosen by box, by range and by key, and the choice ends with the list", async ({
  page,
  world,
}) => {
  await world.createEndpoint({ name: "Chosen tracker", url: world.receiver.url(world.path("chosen")) });
  await publishTimes(world, 5);
  await page.context().grantPermissions(["clipboard-read", "clipboard-write"]);
  await open(page, `/deliveries?affiliate=${world.key}`);
  const boxes = page.getByRole("checkbox", { name: /^Select delivery/ });
  await expect(boxes).toHaveCount(5);
  const bar = page.getByRole("region", { name: "Selection" });
  await boxes.nth(1).click();
  await boxes.nth(3).click({ modifiers: ["Shift"] });
  await expect(bar).toContainText("3 selected");
  // A box is no field: keys are keys where the focus is on one.
  await page.keyboard.press("Escape");
  await expect(bar).toHaveCount(0);
  await boxes.nth(1).click();
  await boxes.nth(3).click({ modifiers: ["Shift"] });
  await expect(bar).toContainText("3 selected");
  await bar.getByRole("button", { name: "Copy ids" }).click();
  await expect(page.getByText("3 ids copied.")).toBeVisible();
  const copied = await page.evaluate(() => navigator.clipboard.readText());
  expect(copied.split("\n")).toHaveLength(3);

  // What comes meanwhile waits.
  await world.publish("{}");
  await expect(page.getByRole("button", { name: "1 new" })).toBeVisible({ timeout: 20_000 });
  await expect(boxes).toHaveCount(5);
  await bar.getByRole("button", { name: /^Select all \d+ that match/ }).click();
  await expect(bar).toContainText("deliveries that match");
  await page.keyboard.press("Escape");
  await expect(bar).toHaveCount(0);

  await page.keyboard.press("j");
  await page.keyboard.press("x");
  await page.keyboard.press("j");
  await page.keyboard.press("j");
  await page.keyboard.press("Shift+X");
  await expect(bar).toContainText("3 selected");
  await page.getByRole("checkbox", { name: "Select all rows of this page" }).click();
  await expect(bar).toContainText(/[56] selected/);
  await page.getByRole("combobox", { name: "State", exact: true }).click();
  await page.getByRole("option", { name: "Delivered" }).click();
  await page.keyboard.press("Escape");
  await expect(bar).toHaveCount(0);
});

test("a request is copied as curl, without what is secret", async ({ page, world }) => {
  await page.context().grantPermissions(["clipboard-read", "clipboard-write"]);
  await world.createEndpoint({
    name: "Curled tracker",
    url: world.receiver.url(world.path("curled")),
    headers: [{ name: "x-token", value: "never-shown" }],
  });
  const { id } = await world.delivery(await world.publish('{"sub1":"it\'s"}'), "delivered");
  await open(page, `/deliveries/${id}`);
  await page.getByRole("button", { name: "Copy as curl" }).click();
  await expect(page.getByText("To fill in: <timestamp>, <webhook-signature>, <x-token>.")).toBeVisible();
  const command = await page.evaluate(() => navigator.clipboard.readText());
  expect(command).toContain(`curl --globoff -X POST '${world.receiver.url(world.path("curled"))}'`);
  expect(command).toContain("-H 'x-token: <x-token>'");
  expect(command).not.toContain("never-shown");
});

test("what could not be read about a delivery's list and endpoint is said, and nothing half is copied", async ({
  page,
  world,
}) => {
  const endpoint = await world.createEndpoint({
    name: "Unread tracker",
    url: world.receiver.url(world.path("unread")),
  });
  const { id } = await world.delivery(await world.publish("{}"), "delivered");
  const beside = page.getByRole("button", { name: "Next delivery" });
  await open(page, `/deliveries/${id}?affiliate=${world.key}`);
  await expect(beside).toHaveAccessibleDescription("Nothing older is in its list.");

  for (const path of [`deliveries/${id}/neighbours*`, `endpoints/${endpoint.id}`])
    await page.route(`**/api/console/${path}`, (route) =>
      route.fulfill({ status: 503, contentType: "application/problem+json", body: "{}" }),
    );
  await page.reload();
  await expect(beside).toHaveAccessibleDescription("Its list could not be read.");
  await page.getByRole("button", { name: "Copy as curl" }).click();
  await expect(page.getByText("It was not copied: the endpoint's settings could not be read")).toBeVisible();
});

test("events are found by type, time and id, and event types by their words", async ({ page, world }) => {
  await world.createEndpoint({ name: "Event tracker", url: world.receiver.url(world.path("events")) });
  const id = await world.publish("{}", { type: "ftd" });
  await world.publish("{}", { type: "deposit" });
  await open(page, `/events?affiliate=${world.key}`);
  await page.getByRole("combobox", { name: "Type", exact: true }).click();
  await page.getByRole("combobox", { name: "Search type" }).fill("ftd");
  await page.getByRole("option", { name: "ftd" }).click();
  await expect(page.getByRole("row")).toHaveCount(2);
  await page.getByRole("button", { name: "Clear" }).click();
  await page.getByRole("searchbox", { name: "Event id" }).fill(id);
  await expect(page).toHaveURL(new RegExp(`id=${id}`));
  await expect(page.getByRole("row")).toHaveCount(2);
  await page.getByRole("searchbox", { name: "Event id" }).fill("no-such-event");
  await expect(page.getByRole("heading", { name: "No events match" })).toBeVisible();

  await open(page, "/event-types");
  await page.getByRole("searchbox", { name: "Name or description" }).fill("ftd");
  await expect(page).toHaveURL(/q=ftd/);
  await expect(page.getByRole("link", { name: "ftd", exact: true })).toBeVisible();
  await expect(page.getByRole("link", { name: "qualified", exact: true })).toHaveCount(0);
  await page.getByRole("link", { name: "ftd", exact: true }).click();
  await page.getByRole("link", { name: "Its events" }).click();
  await expect(page).toHaveURL(/\/events\?type=ftd$/);
});
