import { expect, expectAccessible, open, test, type World } from "./support.ts";

/** Dead letters of an endpoint that refuses everything for now. */
async function makeDeadLetters(world: World, { name, count }: { name: string; count: number }) {
  const path = world.path(name.replaceAll(" ", "-"));
  world.receiver.script(path, ...Array(count).fill({ status: 401 }), { status: 200 });
  const endpoint = await world.createEndpoint({ name, url: world.receiver.url(path) });
  for (let i = 0; i < count; i++) await world.delivery(await world.publish(`{"n":${i}}`), "dead_letter");
  return { endpoint, path };
}

test("an endpoint is recovered: preview, reason, a double click, and its requeue drains before one's eyes", async ({
  page,
  world,
}) => {
  const { endpoint, path } = await makeDeadLetters(world, { name: "Recovered tracker", count: 3 });
  await open(page, `/endpoints/${endpoint.id}`);
  await page.getByRole("button", { name: "Recover" }).click();
  const dialog = page.getByRole("dialog", { name: "Recover Recovered tracker?" });
  await expect(dialog.getByText("3 deliveries of one endpoint will be put back to be sent.")).toBeVisible();
  await expectAccessible(page);

  const start = dialog.getByRole("button", { name: "Requeue 3" });
  await dialog.getByLabel("Rate per second").fill("0");
  await start.click();
  await expect(dialog.getByText("Give a number from 0.01 to 10,000, or nothing.")).toBeVisible();
  await expect(dialog.getByText("Say why.")).toBeVisible();
  await dialog.getByLabel("Rate per second").fill("");
  await dialog.getByLabel("Reason").fill("They gave us new credentials");
  await start.dblclick();

  await page.getByRole("link", { name: "Watch it" }).click();
  await expect(page.getByRole("heading", { level: 1 })).toHaveText(
    "Requeue what failed or was held of Recovered tracker",
  );
  await expect(page.getByText("They gave us new credentials").first()).toBeVisible();
  await expect(page.getByText("Completed").first()).toBeVisible();
  await expect(page.getByRole("progressbar")).toHaveAttribute("aria-valuetext", "3 of 3");
  await expect.poll(() => world.receiver.requests(path).length).toBe(6);
  await expect(page.getByRole("button", { name: "Cancel the rest" })).toHaveCount(0);

  await open(page, `/deliveries?endpoint=${endpoint.id}&state=delivered`);
  await expect(page.getByRole("row")).toHaveCount(4);
});

test("a slow one is cancelled; a second over the same deliveries is refused while it runs", async ({
  page,
  world,
}) => {
  const { endpoint } = await makeDeadLetters(world, { name: "Slow tracker", count: 3 });
  const start = async (rate: string) => {
    await open(page, `/endpoints/${endpoint.id}`);
    await page.getByRole("button", { name: "Recover" }).click();
    const dialog = page.getByRole("dialog", { name: "Recover Slow tracker?" });
    await dialog.getByLabel("Rate per second").fill(rate);
    await dialog.getByLabel("Reason").fill("Slowly");
    return dialog;
  };
  await (await start("0.02")).getByRole("button", { name: /^Requeue \d$/ }).click();
  await page.getByRole("link", { name: "Watch it" }).click();
  await expect(page.getByText("Running").first()).toBeVisible();

  const second = await start("1");
  await expect(second.getByText(/still to be taken by/)).toBeVisible();
  const button = second.getByRole("button", { name: /^Requeue/ });
  await expect(button).toHaveAttribute("aria-disabled", "true");
  await expect(button).toHaveAccessibleDescription("Another requeue has to end first.");
  await second.getByRole("link", { name: "a requeue that is under way" }).click();

  await page.getByRole("button", { name: "Cancel the rest" }).click();
  await page.getByRole("alertdialog").getByRole("button", { name: "Cancel the rest" }).click();
  await expect(page.getByText("Cancelled", { exact: true }).first()).toBeVisible();
  await expect(page.getByText("First Admin cancelled it. What was done stays done.")).toBeVisible();

  await open(page, "/requeues?state=cancelled");
  await expect(page.getByRole("row").filter({ hasText: "Slow tracker" })).toContainText("1 of 3");
});

test("what matches nothing says so, and cannot be started", async ({ page, world }) => {
  const endpoint = await world.createEndpoint({
    name: "Sound tracker",
    url: world.receiver.url(world.path("sound")),
  });
  await open(page, `/endpoints/${endpoint.id}`);
  await page.getByRole("button", { name: "Recover" }).click();
  const dialog = page.getByRole("dialog");
  await expect(dialog.getByText("Nothing matches: there is nothing to requeue.")).toBeVisible();
  await expect(dialog.getByRole("button", { name: "Requeue" })).toHaveAttribute("aria-disabled", "true");
});
