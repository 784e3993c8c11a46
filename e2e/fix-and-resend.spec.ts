import { expect, open, test } from "./support.ts";

test("a failing endpoint is understood, fixed, and its delivery resent", async ({ page, world }) => {
  const broken = world.path("moved");
  const working = world.path("new-place");
  world.receiver.script(broken, { redirectTo: world.receiver.url(working) });
  const endpoint = await world.createEndpoint({ name: "Moved tracker", url: world.receiver.url(broken) });
  const eventId = await world.publish('{"click_id":"resend-me"}');
  const { id } = await world.delivery(eventId, "dead_letter");

  await open(page, "/endpoints?view=failing");
  const row = page.getByRole("row").filter({ hasText: world.name });
  await expect(row).toContainText("Failing");
  await row.getByRole("link", { name: "Moved tracker" }).click();
  await expect(
    page.getByText(
      /^Answers 302, a redirect, which is never followed, since \d\d:\d\d; 1 failure, the last /,
    ),
  ).toBeVisible();
  await page.getByRole("link", { name: `Delivery ${id}` }).click();

  await expect(
    page.getByText("Set the endpoint's URL to the address that the redirect names, then resend."),
  ).toBeVisible();
  await expect(page.getByRole("listitem").filter({ hasText: "Attempt 1" })).toContainText("Failed for good");
  await expect(page.getByRole("group", { name: "Response headers" })).toContainText(
    world.receiver.url(working),
  );

  await page.getByRole("link", { name: "Moved tracker" }).click();
  await page.getByRole("link", { name: "Edit" }).click();
  await page.getByLabel("URL", { exact: true }).fill(world.receiver.url(working));
  await page.getByRole("button", { name: "Save" }).click();
  await expect(page).toHaveURL(new RegExp(`/endpoints/${endpoint.id}$`));

  await open(page, `/deliveries/${id}`);
  await page.getByRole("button", { name: "Resend" }).dblclick();
  await expect(page.getByText("Put back to be sent.")).toBeVisible();
  const second = page.getByRole("listitem").filter({ hasText: "Attempt 2" });
  await expect(second).toContainText("Delivered");
  await expect(page.getByRole("listitem").filter({ hasText: "Attempt 1" })).toContainText("Failed for good");
  expect(world.receiver.requests(working)).toHaveLength(1);
});

test("a delivery that will be retried shows the attempt to come", async ({ page, world }) => {
  const path = world.path("flaky");
  world.receiver.script(path, { status: 503, body: "later" });
  await world.createEndpoint({
    name: "Flaky tracker",
    url: world.receiver.url(path),
    retry: { max_attempts: 5, base_seconds: 3_600, cap_seconds: 3_600 },
  });
  const { id } = await world.delivery(await world.publish("{}"), "failed");
  await open(page, `/deliveries/${id}`);
  await expect(page.getByText("Awaiting retry")).toBeVisible();
  await expect(page.getByText(/^2 of 5 · in \d+/).first()).toBeVisible();
  const next = page.getByRole("listitem").filter({ hasText: "Attempt 2" });
  await expect(next).toContainText(/in \d+ (min|s)/);
  await expect(page.getByRole("listitem").filter({ hasText: "Attempt 1" })).toContainText("503");
});

test("a delivery that waits cannot be resent, and the button says why", async ({ page, world }) => {
  const endpoint = await world.createEndpoint({
    name: "Held tracker",
    url: world.receiver.url(world.path("held")),
  });
  await open(page, `/endpoints/${endpoint.id}`);
  await page.getByRole("button", { name: "Pause" }).click();
  await page.getByRole("alertdialog").getByRole("button", { name: "Pause" }).click();
  await expect(page.getByText("Paused by First Admin")).toBeVisible();
  const { id } = await world.delivery(await world.publish("{}"), "pending");
  await open(page, `/deliveries/${id}`);
  await expect(page.getByText("Held", { exact: true })).toBeVisible();
  await expect(page.getByText(/endpoint paused by First Admin/)).toBeVisible();
  const resend = page.getByRole("button", { name: "Resend" });
  await expect(resend).toHaveAttribute("aria-disabled", "true");
  await expect(resend).toHaveAccessibleDescription("It waits to be sent already.");
});

test("a delivery whose ordering key has moved on is resent only after the consequence was read", async ({
  page,
  world,
}) => {
  const path = world.path("ordered");
  world.receiver.script(path, { status: 400 }, { status: 200 });
  await world.createEndpoint({
    name: "Ordered tracker",
    url: world.receiver.url(path),
    ordering: "per_key",
  });
  const { id } = await world.delivery(
    await world.publish('{"n":1}', { orderingKey: "player-7" }),
    "dead_letter",
  );
  await world.delivery(await world.publish('{"n":2}', { orderingKey: "player-7" }), "delivered");

  await open(page, `/deliveries/${id}`);
  await page.getByRole("button", { name: "Resend anyway" }).click();
  const dialog = page.getByRole("alertdialog");
  await expect(dialog).toContainText("would see this older event after the newer one");
  await expect(dialog.getByRole("button", { name: "Cancel" })).toBeFocused();
  await dialog.getByRole("button", { name: "Cancel" }).click();
  await expect(dialog).toHaveCount(0);
  expect(world.receiver.requests(path)).toHaveLength(2);

  await page.getByRole("button", { name: "Resend anyway" }).click();
  await dialog.getByRole("button", { name: "Resend anyway" }).click();
  await expect(page.getByText("Put back to be sent.")).toBeVisible();
  await expect(page.getByRole("listitem").filter({ hasText: "Attempt 2" })).toContainText("Delivered");
  expect(world.receiver.requests(path).map(({ body }) => JSON.parse(body.toString()).data.n)).toEqual([
    1, 2, 1,
  ]);
});
