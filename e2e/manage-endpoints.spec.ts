import { expect, open, test } from "./support.ts";

test("an endpoint is created with its secret shown once", async ({ page, world }) => {
  await open(page, "/endpoints/new");
  await page.getByRole("button", { name: "Create the endpoint" }).click();
  await expect(page.getByText("Choose the affiliate that owns it.")).toBeVisible();
  await expect(page.getByLabel("Name")).toHaveAccessibleDescription(/This is needed\./);

  await page.getByRole("combobox", { name: "Affiliate" }).click();
  await page.getByRole("combobox", { name: "Search affiliate" }).fill(world.key);
  await page.getByRole("option", { name: world.name }).click();
  await page.getByLabel("Name").fill("Made by hand");
  await page.getByLabel("URL", { exact: true }).fill("http://user:password@127.0.0.1/hook");
  await page.getByRole("radio", { name: "Own numbers" }).check();
  await page.getByLabel("Attempts").fill("3");
  await page.getByLabel("First wait up to (s)").fill("10");
  await page.getByLabel("Longest wait (s)").fill("60");
  await expect(
    page.getByText(
      "Tries up to 3 times. After the first failure it keeps trying for 15 s on average and 30 s at most",
    ),
  ).toBeVisible();
  await page.getByRole("radio", { name: "Only these" }).check();
  await page.getByRole("checkbox", { name: "registration" }).check();

  // What only the server can know lands beside its field.
  await page.getByRole("button", { name: "Create the endpoint" }).click();
  await expect(page.getByLabel("URL", { exact: true })).toHaveAttribute("aria-invalid", "true");
  await page.getByLabel("URL", { exact: true }).fill(world.receiver.url(world.path("made")));
  await page.getByRole("button", { name: "Create the endpoint" }).click();

  await expect(page.getByRole("heading", { name: "Made by hand was created" })).toBeFocused();
  const secret = await page.getByText(/^whsec_/).textContent();
  await page.getByRole("link", { name: "Open the endpoint" }).click();
  await expect(page.getByRole("heading", { level: 1, name: "Made by hand" })).toBeVisible();
  await expect(page.getByText("Nothing was sent to it yet")).toBeVisible();
  await expect(page.getByText(/whsec_/)).toHaveCount(0);

  await page.getByRole("button", { name: "Reveal" }).click();
  const dialog = page.getByRole("dialog");
  await expect(dialog.getByRole("button", { name: "Reveal" })).toHaveAttribute("aria-disabled", "true");
  await dialog.getByLabel("Reason").fill("Their signature check fails");
  await dialog.getByRole("button", { name: "Reveal" }).click();
  await expect(page.getByText(/^whsec_/)).toHaveText(secret ?? "");
  await page.getByRole("button", { name: "Hide" }).click();
  await expect(page.getByText(/^whsec_/)).toHaveCount(0);
});

test("leaving a form with unsaved changes asks first", async ({ page, world }) => {
  const endpoint = await world.createEndpoint({
    name: "Edited tracker",
    url: world.receiver.url(world.path("edited")),
  });
  await open(page, `/endpoints/${endpoint.id}`);
  await page.getByRole("link", { name: "Edit" }).click();
  await expect(page.getByRole("button", { name: "Save" })).toHaveAccessibleDescription(
    "Nothing has been changed.",
  );
  await page.getByLabel("Name").fill("Renamed tracker");

  let asked = 0;
  let answer = false;
  page.on("dialog", (dialog) => {
    asked += 1;
    return answer ? dialog.accept() : dialog.dismiss();
  });
  await page.getByRole("link", { name: "Overview" }).click();
  await expect.poll(() => asked).toBe(1);
  await page.getByRole("heading", { level: 1 }).click();
  await page.keyboard.press("g");
  await page.keyboard.press("o");
  await expect.poll(() => asked).toBe(2);
  await expect(page).toHaveURL(/\/edit$/);
  await expect(page.getByLabel("Name")).toHaveValue("Renamed tracker");
  answer = true;
  await page.getByRole("link", { name: "Overview" }).click();
  await expect(page).toHaveURL(/\/overview$/);
  expect(asked).toBe(3);
});

test("paused, an endpoint holds its events; resumed, it gets them; deleted, it is gone", async ({
  page,
  world,
}) => {
  const path = world.path("paused");
  const endpoint = await world.createEndpoint({ name: "Paused tracker", url: world.receiver.url(path) });
  await open(page, `/endpoints/${endpoint.id}`);
  await page.getByRole("button", { name: "Pause" }).click();
  const dialog = page.getByRole("alertdialog");
  await expect(dialog).toContainText("Its events are held, not dropped.");
  await expect(dialog.getByRole("button", { name: "Cancel" })).toBeFocused();
  await dialog.getByRole("button", { name: "Pause" }).click();
  await expect(page.getByText("Paused by First Admin")).toBeVisible();

  await world.publish("{}");
  await world.publish("{}");
  await expect(page.getByRole("row").filter({ hasText: "Held" })).toHaveCount(2);
  expect(world.receiver.requests(path)).toHaveLength(0);
  await open(page, "/endpoints?view=paused");
  await page
    .getByRole("row")
    .filter({ hasText: world.name })
    .getByRole("link", { name: "Paused tracker" })
    .click();

  await page.getByRole("button", { name: "Resume" }).click();
  await expect(page.getByRole("alertdialog")).toContainText("2 deliveries will go out.");
  await page.getByRole("alertdialog").getByRole("button", { name: "Resume" }).click();
  await world.receiver.waitFor(path, 2);
  await expect(page.getByRole("row").filter({ hasText: "Delivered" })).toHaveCount(2);

  await page.getByRole("button", { name: "Delete" }).click();
  await expect(page.getByRole("alertdialog")).toContainText("Nothing waits for it, so nothing is discarded.");
  await page.getByRole("alertdialog").getByRole("button", { name: "Delete the endpoint" }).click();
  await expect(page).toHaveURL(/\/endpoints$/);
  await expect(page.getByText("Paused tracker was deleted.")).toBeVisible();
  await open(page, `/endpoints/${endpoint.id}`);
  await expect(page.getByRole("heading", { name: "The endpoint does not exist" })).toBeVisible();
});

test("an affiliate is added", async ({ page, world }) => {
  await open(page, "/affiliates");
  await page.getByRole("button", { name: "Add an affiliate" }).first().click();
  const dialog = page.getByRole("dialog");
  await dialog.getByLabel("Name").fill("Second affiliate");
  await dialog.getByLabel("Key").fill(world.key);
  await page.context().setOffline(true);
  await dialog.getByRole("button", { name: "Add" }).click();
  await expect(dialog.getByRole("alert")).toContainText("Posthorn cannot be reached");
  await page.context().setOffline(false);
  await dialog.getByRole("button", { name: "Add" }).click();
  await expect(dialog.getByRole("alert")).not.toContainText("Posthorn cannot be reached");
  await expect(dialog.getByLabel("Key")).toHaveAttribute("aria-invalid", "true");
  await dialog.getByLabel("Key").fill(`${world.key}-second`);
  await dialog.getByRole("button", { name: "Add" }).click();
  await expect(page.getByText("Second affiliate was added.")).toBeVisible();
  await page.getByRole("searchbox", { name: "Name or key" }).fill(`${world.key}-second`);
  await expect(page.getByRole("row")).toHaveCount(2);
  await expect(page.getByRole("row").nth(1)).toContainText("0 endpoints");
});
