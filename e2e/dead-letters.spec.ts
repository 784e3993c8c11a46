import { readFile } from "node:fs/promises";
import { expect, expectAccessible, open, test, type World } from "./support.ts";

/** Five deliveries that their server refuses for its credentials; no more is needed for a finding. */
async function refuseAll(world: World) {
  const path = world.path("locked");
  world.receiver.script(path, { status: 401, body: "invalid token" });
  const endpoint = await world.createEndpoint({ name: `Locked ${world.key}`, url: world.receiver.url(path) });
  for (let n = 0; n < 5; n += 1) {
    const event = await world.publish(`{"n":${n}}`);
    await world.delivery(event, "dead_letter");
  }
  return endpoint;
}

test("ops reads that credentials changed, and opens the endpoint", async ({ page, world }) => {
  test.slow();
  const endpoint = await refuseAll(world);
  await open(page, "/overview");
  await page.getByRole("navigation", { name: "Main" }).getByRole("link", { name: "Dead letters" }).click();
  await expect(page).toHaveURL(/\/dead-letters$/);
  await open(page, `/dead-letters?affiliate=${world.key}`);
  const finding = page.getByRole("article", { name: "Credentials changed" });
  // A worker looks every 30 s.
  await expect(finding).toBeVisible({ timeout: 45_000 });
  await expect(finding).toContainText("Their server refuses our credentials: 5 deliveries were given up");
  await expect(page.getByText(/^Looked at/)).toBeVisible();
  await expectAccessible(page);
  await finding.getByRole("link", { name: /Update the credentials/ }).click();
  await expect(page).toHaveURL(new RegExp(`/endpoints/${endpoint.id}$`));
  await expect(page.getByRole("button", { name: "Rotate" })).toBeVisible();

  await open(page, `/alerts?affiliate=${world.key}`);
  const rows = page.getByRole("table", { name: /^Alerts/ }).getByRole("row");
  await expect(rows).toHaveCount(2);
  await expect(rows.nth(1)).toContainText(/Credentials changed.*Open/);
});

test("rows are narrowed, exported, and resent by selection", async ({ page, world }) => {
  test.slow();
  await refuseAll(world);
  await open(page, `/dead-letters?affiliate=${world.key}`);
  const groups = page.getByRole("table", { name: /^Dead letters by cause/ }).getByRole("row");
  await expect(groups).toHaveCount(2);
  await groups.nth(1).getByRole("link").click();
  await expect(page).toHaveURL(/reason=unauthorized&status=401/);
  const rows = page.getByRole("table", { name: "Dead letters, given up latest first" }).getByRole("row");
  await expect(rows).toHaveCount(6);
  const [download] = await Promise.all([
    page.waitForEvent("download"),
    page.getByRole("link", { name: "Export as CSV" }).click(),
  ]);
  expect((await readFile(await download.path(), "utf8")).trimEnd().split("\r\n")).toHaveLength(6);

  world.receiver.script(world.path("locked"), { status: 200 });
  await rows.nth(1).getByRole("checkbox").check();
  await rows
    .nth(3)
    .getByRole("checkbox")
    .click({ modifiers: ["Shift"] });
  await expect(page.getByText("3 rows selected")).toBeVisible();
  await expectAccessible(page);
  await page.getByRole("button", { name: "Resend", exact: true }).click();
  await page.getByRole("alertdialog").getByRole("button", { name: "Resend 3 deliveries" }).click();
  await expect(page.getByText("3 deliveries put back.")).toBeVisible();
  await expect(rows).toHaveCount(3);
  await page.getByRole("combobox", { name: "Reason" }).click();
  await page.getByRole("option", { name: "Their certificate is not valid" }).click();
  await expect(page.getByRole("heading", { name: "No dead letters match" })).toBeVisible();
});
