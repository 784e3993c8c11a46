import type { Page } from "@playwright/test";
import { expect, expectAccessibleInBothThemes, open, test } from "./support.ts";

/** The part of the page under this heading. */
function panel(page: Page, title: string) {
  return page.getByRole("heading", { name: title, exact: true }).locator("xpath=ancestor::div[2]");
}

test("what is wrong with settings is said beside the fields, also of those that are folded away", async ({
  page,
  world,
}) => {
  const endpoint = await world.createEndpoint({
    name: "Set wrongly",
    url: world.receiver.url(world.path("wrong")),
    headers: [{ name: "X-Kept", value: "kept" }],
  });
  await open(page, `/endpoints/${endpoint.id}/edit`);
  await page.getByRole("radio", { name: "Own numbers" }).check();
  await page.getByLabel("Attempts").fill("31");
  const advanced = page.getByText("Advanced settings");
  await advanced.click();
  await page.getByLabel("Timeout in seconds").fill("600");
  await page.getByRole("radio", { name: "Limited" }).check();
  await page.getByLabel("Requests", { exact: true }).fill("0");
  await page.getByRole("button", { name: "Add a header" }).click();
  await page.getByLabel("Name of header 2").fill("Host");
  await page.getByLabel("Value of header 2").fill("example.com");
  await page.getByRole("button", { name: "Add a rule" }).click();
  await page.getByLabel("Text of rule 1").fill("success");
  await page.getByRole("button", { name: "Add a rule" }).click();
  await page.getByLabel("Kind of rule 2").selectOption("Body does not contain");
  await page.getByLabel("Text of rule 2").fill("success");
  await advanced.click();
  await expect(page.getByLabel("Timeout in seconds")).toBeHidden();
  await page.getByRole("button", { name: "Save" }).click();

  const said = (label: string, words: RegExp) =>
    expect(page.getByLabel(label, { exact: true })).toHaveAccessibleDescription(words);
  await said("Attempts", /This must be at most 30\./);
  await said("Timeout in seconds", /This must be at most 60,000 ms \(1 min\)\./);
  await said("Requests", /This must be at least 1\./);
  await said("Name of header 2", /This is set by Posthorn and cannot be given\./);
  await said("Text of rule 2", /This contradicts rule 1: no answer can keep both\./);
  await expect(page.getByLabel("Timeout in seconds")).toBeVisible();
  await expect(page.getByLabel("Attempts")).toBeFocused();

  // Rules are judged together: the first one is changed, and the second is right again.
  await page.getByLabel("Text of rule 1").fill("accepted");
  await expect(page.getByLabel("Text of rule 2")).not.toHaveAttribute("aria-invalid", "true");
  await page.getByLabel("Kind of rule 2").selectOption("Status is one of");
  await page.getByLabel("Statuses of rule 2").fill("200, many");
  await said("Statuses of rule 2", /This must be a number\./);
  await page.getByLabel("Statuses of rule 2").fill("200, 404");
  await said("Statuses of rule 2", /a response rule cannot make a success of another status\./);
  await page.getByLabel("Statuses of rule 2").fill("200, 201");

  await page.getByRole("radio", { name: "Quick" }).check();
  await page.getByLabel("Timeout in seconds").fill("2.5");
  await page.getByRole("radio", { name: "No limit" }).check();
  await page.getByRole("button", { name: "Remove header 2" }).click();
  // What only the server knows: no value is stored under the new name.
  await page.getByLabel("Name of header 1").fill("X-Renamed");
  await advanced.click();
  await page.getByRole("button", { name: "Save" }).click();
  await said("Value of header 1", /no value is stored under this name\./);
  await expect(page.getByLabel("Value of header 1")).toBeFocused();
  await page.getByLabel("Value of header 1").fill("new");
  await page.getByRole("button", { name: "Save" }).click();
  await expect(page.getByText("Saved; the next request uses it.")).toBeVisible();
  await expect(panel(page, "Configuration")).toContainText("2.5 s for the whole answer");
});

test("a full set of settings is saved, shown and used; stored header values stay hidden and are kept", async ({
  page,
  world,
}) => {
  const path = world.path("full");
  const endpoint = await world.createEndpoint({ name: "Full tracker", url: world.receiver.url(path) });
  await open(page, `/endpoints/${endpoint.id}/edit`);
  await page.getByText("Advanced settings").click();
  await page.getByLabel("Timeout in seconds").fill("20");
  await page.getByLabel("Requests at once").fill("4");
  await page.getByRole("radio", { name: "Limited" }).check();
  await page.getByLabel("Requests", { exact: true }).fill("250");
  await page.getByLabel("Per", { exact: true }).selectOption("hour");
  await expect(page.getByText("If empty: 25, a tenth of the requests.")).toBeVisible();
  await page.getByRole("radio", { name: "Strict" }).check();
  await page.getByRole("button", { name: "Add a header" }).click();
  await page.getByLabel("Name of header 1").fill("Authorization");
  await page.getByLabel("Value of header 1").fill("Bearer hidden");
  await page.getByRole("button", { name: "Add a rule" }).click();
  await page.getByLabel("Kind of rule 1").selectOption("Body does not contain");
  await page.getByLabel("Text of rule 1").fill("success=false");
  await page.getByRole("checkbox", { name: "Retry an answer that breaks it" }).uncheck();
  await page.getByRole("button", { name: "Add a rule" }).click();
  await page.getByLabel("Kind of rule 2").selectOption("Body means a duplicate");
  await page.getByLabel("Text of rule 2").fill("already known");
  await page.getByRole("button", { name: "Save" }).click();

  const configuration = panel(page, "Configuration");
  for (const words of [
    "20 s for the whole answer",
    "4 requests",
    "250 requests per hour, 25 at once after a pause",
    "Strict (as per key; a dead letter also holds its key until somebody resends or discards it)",
    "Authorization stored, hidden",
    "Body does not contain “success=false”; else a dead letter",
    "Body means a duplicate “already known”: delivered",
  ])
    await expect(configuration).toContainText(words);

  await page.getByRole("link", { name: "Edit" }).click();
  await page.getByText("Advanced settings").click();
  const value = page.getByLabel("Value of header 1");
  await expect(value).toHaveValue("");
  await expect(value).toHaveAttribute("placeholder", "stored, hidden");
  await value.fill("typed by mistake");
  await value.fill("");
  await expect(value).toHaveAccessibleDescription("Kept as it is unless you type a new one.");
  await page.getByRole("radio", { name: "No limit" }).check();
  await page.getByRole("button", { name: "Save" }).click();
  await expect(configuration).toContainText("No limit");
  await world.delivery(await world.publish("{}"), "delivered");
  const headers = world.receiver.requests(path)[0]?.headers ?? [];
  expect(headers[headers.indexOf("Authorization") + 1]).toBe("Bearer hidden");
});

test("a secret is rotated with an overlap, and the old one revoked", async ({ page, world }) => {
  const endpoint = await world.createEndpoint({
    name: "Rotated tracker",
    url: world.receiver.url(world.path("rotated")),
  });
  await open(page, `/endpoints/${endpoint.id}`);
  const secrets = page.getByRole("list", { name: "Valid secrets" }).getByRole("listitem");
  await expect(secrets).toHaveCount(1);
  await page.getByRole("button", { name: "Rotate" }).click();
  const dialog = page.getByRole("alertdialog");
  await expect(dialog.getByRole("button", { name: "Cancel" })).toBeFocused();
  await expect(dialog).toContainText(/signs beside it until tomorrow \d\d:\d\d/);
  await dialog
    .getByLabel("The current secret goes on signing for")
    .selectOption("Not at all: it ends at once");
  await expect(dialog).toContainText("it will refuse what we send");
  await dialog.getByLabel("The current secret goes on signing for").selectOption("7 days");
  await dialog.getByRole("button", { name: "Rotate" }).click();
  const shown = page.getByText(/^whsec_/);
  await expect(shown).toBeVisible();
  expect(await shown.textContent()).not.toBe(endpoint.secret);
  await expect(secrets).toHaveCount(2);
  await expect(secrets.nth(1)).toContainText(/Old secret valid until \d{4}-\d\d-\d\d \d\d:\d\d in 6 d 23 h/);
  await page.getByRole("button", { name: "Hide" }).click();
  await expect(shown).toHaveCount(0);

  await secrets.nth(1).getByRole("button", { name: "Revoke" }).click();
  await expect(dialog).toContainText("A receiver that still verifies with it will refuse what we send.");
  await dialog.getByRole("button", { name: "Revoke at once" }).click();
  await expect(page.getByText("The old secret was revoked.")).toBeVisible();
  await expect(secrets).toHaveCount(1);
});

test("a breaker is held, reset and closed by hand, and its history says so", async ({ page, world }) => {
  const path = world.path("broken");
  const endpoint = await world.createEndpoint({ name: "Broken tracker", url: world.receiver.url(path) });
  await open(page, `/endpoints/${endpoint.id}`);
  const breaker = panel(page, "Breaker");
  const hold = breaker.getByRole("button", { name: "Hold open" });
  const reset = breaker.getByRole("button", { name: "Reset" });
  const close = breaker.getByRole("button", { name: "Close" });
  await expect(reset).toHaveAccessibleDescription("Only an open one can be reset.");
  await expect(close).toHaveAccessibleDescription("It is closed already.");
  await expect(page.getByRole("heading", { name: "Breaker history" })).toHaveCount(0);

  await hold.click();
  const dialog = page.getByRole("alertdialog");
  await expect(dialog.getByRole("button", { name: "Cancel" })).toBeFocused();
  await expect(dialog).toContainText("Nothing is sent to it, not even a probe");
  await expect(dialog.getByRole("button", { name: "Hold open" })).toHaveAccessibleDescription(
    "Say why first.",
  );
  await dialog.getByLabel("Reason").fill("They move their server");
  await dialog.getByLabel("Reason").press("Enter");
  await expect(breaker).toContainText("Held open by First Admin until somebody resets or closes it.");
  await expect(hold).toHaveAccessibleDescription("It is held open already.");
  await world.publish("{}");
  await expect(page.getByRole("row").filter({ hasText: "behind an open breaker" })).toHaveCount(1);

  await reset.click();
  await expect(dialog).toContainText("The hold by First Admin ends.");
  await dialog.getByRole("button", { name: "Reset" }).click();
  await world.receiver.waitFor(path, 1);
  await expect(breaker).toContainText("Closed");
  const history = page.getByRole("table", { name: /What moved the breaker/ }).getByRole("row");
  await expect(history).toHaveCount(5);
  await expect(history.nth(1)).toContainText("The probe succeeded");
  await expect(history.nth(2)).toContainText("A probe was sent");
  await expect(history.nth(3)).toContainText("Reset by hand");
  await expect(history.nth(4)).toContainText("Held open by hand");
  await expect(history.nth(4)).toContainText("until reset or closed");
});

test("a breaker's longer history has pages, which the URL remembers", async ({ page, world }) => {
  const endpoint = await world.createEndpoint({
    name: "Much moved tracker",
    url: world.receiver.url(world.path("moved")),
  });
  for (const verb of Array.from({ length: 12 }, (_, i) => (i % 2 === 0 ? "hold" : "close"))) {
    const response = await page.request.post(`/api/console/endpoints/${endpoint.id}/breaker/${verb}`, {
      ...(verb === "hold" ? { data: { reason: "To fill a page" } } : {}),
    });
    expect(response.ok()).toBe(true);
  }
  await open(page, `/endpoints/${endpoint.id}`);
  const history = page.getByRole("table", { name: /What moved the breaker/ }).getByRole("row");
  await expect(history).toHaveCount(11);
  await page.getByRole("button", { name: "Next page" }).click();
  await expect(history).toHaveCount(3);
  await expect(history.nth(2)).toContainText("Held open by hand");
  await page.reload();
  await expect(history).toHaveCount(3);
  await page.getByRole("button", { name: "Previous page" }).click();
  await expect(history).toHaveCount(11);
});

test("axe finds nothing in the endpoint's panels, dialogs and settings, in both themes", async ({
  page,
  world,
}) => {
  test.slow();
  const endpoint = await world.createEndpoint({
    name: "Looked at in full",
    url: world.receiver.url(world.path("looked-at-in-full")),
    ordering: "strict",
    rate_limit: { amount: 100, per: "minute" },
    headers: [{ name: "Authorization", value: "Bearer 1" }],
    response_rules: [
      { kind: "status_in", statuses: [200], retry: true },
      { kind: "duplicate", text: "known" },
    ],
  });
  await open(page, `/endpoints/${endpoint.id}`);
  const dialog = page.getByRole("alertdialog");
  await page.getByRole("button", { name: "Rotate" }).click();
  await expect(dialog).toBeVisible();
  await expectAccessibleInBothThemes(page);
  await dialog.getByRole("button", { name: "Rotate" }).click();
  await expect(page.getByText(/^whsec_/)).toBeVisible();
  await page.getByRole("button", { name: "Revoke" }).click();
  await expect(dialog).toBeVisible();
  await expectAccessibleInBothThemes(page);
  await page.keyboard.press("Escape");
  await page.getByRole("button", { name: "Hold open" }).click();
  await dialog.getByLabel("Reason").fill("To look at it");
  await expectAccessibleInBothThemes(page);
  await dialog.getByRole("button", { name: "Hold open" }).click();
  await expect(page.getByRole("table", { name: /What moved the breaker/ })).toBeVisible();
  await expectAccessibleInBothThemes(page);

  await page.getByRole("link", { name: "Edit" }).click();
  await page.getByText("Advanced settings").click();
  await page.getByLabel("Requests", { exact: true }).fill("0");
  await page.getByLabel("Text of rule 2").fill("");
  await page.getByRole("button", { name: "Save" }).click();
  await expect(page.getByLabel("Text of rule 2")).toHaveAttribute("aria-invalid", "true");
  await expectAccessibleInBothThemes(page);
  const overflow = await page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth);
  expect(overflow).toBeLessThanOrEqual(0);
});
