import { readFile } from "node:fs/promises";
import { expect, expectAccessible, open, test } from "./support.ts";

for (const theme of ["light", "dark"] as const) {
  test(`an edit is found by its object, with the values before and after: ${theme}`, async ({
    page,
    world,
  }) => {
    await page.emulateMedia({ colorScheme: theme });
    const name = `Tracker ${world.key}`;
    const endpoint = await world.createEndpoint({ name, url: world.receiver.url(world.path("audited")) });
    await open(page, `/endpoints/${endpoint.id}/edit`);
    await page.getByLabel("Name").first().fill(`${name} renamed`);
    await page.getByRole("button", { name: "Save" }).click();
    await expect(page.getByRole("heading", { level: 1, name: `${name} renamed` })).toBeVisible();

    // On the endpoint's own page, and from there in the whole log.
    const panel = page.getByRole("table", { name: "What was done to it, latest first" });
    await expect(panel.getByRole("row")).toHaveCount(3);
    await expect(panel.getByRole("row").nth(1)).toContainText(/Endpoint edited.*First Admin.*name/);
    await page.getByRole("link", { name: "All in the audit log" }).click();
    await expect(page).toHaveURL(new RegExp(`/audit\\?object_kind=endpoint&object_id=${endpoint.id}$`));
    const rows = page.getByRole("table", { name: "What was done, latest first" }).getByRole("row");
    await expect(rows).toHaveCount(3);
    await expect(rows.nth(2)).toContainText("Endpoint created");
    await expectAccessible(page);

    await rows.nth(1).getByRole("button", { name: "Show name" }).click();
    const dialog = page.getByRole("dialog");
    await expect(dialog.getByRole("heading", { name: "Endpoint edited" })).toBeVisible();
    await expect(dialog.getByRole("table", { name: "What was changed" }).getByRole("row").nth(1)).toHaveText(
      `name${name}${name} renamed`,
    );
    await expectAccessible(page);
    await page.keyboard.press("Escape");
    await expect(dialog).toHaveCount(0);

    const [download] = await Promise.all([
      page.waitForEvent("download"),
      page.getByRole("link", { name: "Export as CSV" }).click(),
    ]);
    expect(download.suggestedFilename()).toBe("audit.csv");
    const lines = (await readFile(await download.path(), "utf8")).trimEnd().split("\r\n");
    expect(lines).toHaveLength(3);
    expect(lines[1]).toContain(",endpoint.edit,");

    await rows
      .nth(1)
      .getByRole("link", { name: `${name} renamed` })
      .click();
    await expect(page).toHaveURL(new RegExp(`/endpoints/${endpoint.id}$`));
  });
}

test("the log is narrowed by who, what and when", async ({ page, world }) => {
  await world.createEndpoint({ name: "Narrowed", url: world.receiver.url(world.path("narrowed")) });
  await open(page, `/audit?affiliate=${world.key}`);
  const rows = page.getByRole("table", { name: "What was done, latest first" }).getByRole("row");
  await expect(rows).toHaveCount(3);
  await page.getByRole("combobox", { name: "Action" }).click();
  await page.getByRole("option", { name: "Endpoint created" }).click();
  await expect(rows).toHaveCount(2);
  await page.getByRole("combobox", { name: "Who" }).click();
  await page.getByRole("option", { name: "From the environment" }).click();
  await expect(page.getByRole("combobox", { name: "Who: From the environment" })).toBeVisible();
  await expect(rows).toHaveCount(2);
  // New York, which is behind UTC in November as in July.
  await page.getByRole("button", { name: "Time" }).click();
  await page.getByLabel("Before").fill("2020-01-31T20:00");
  await page.getByLabel("Before").press("Enter");
  await page.keyboard.press("Escape");
  await expect(page).toHaveURL(/to=2020-02-01T01:00:00.000Z/);
  await expect(page.getByRole("heading", { name: "No entries match" })).toBeVisible();
  await page.getByRole("button", { name: "Clear all filters" }).click();
  await expect(page).toHaveURL(/\/audit$/);
  await open(page, "/audit?from=yesterday");
  await expect(page.getByRole("heading", { name: "Entries could not be read" })).toBeVisible();
});
