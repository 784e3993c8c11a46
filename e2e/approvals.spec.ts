import { startReceiver } from "#test/helpers/receiver.ts";
import { signedIn } from "./signed-in.ts";
import { expect, expectAccessible, open, test } from "./support.ts";

test("an affiliate's change of host waits, is refused with a reason, asked for again and approved", async ({
  browser,
  baseURL,
  world,
}) => {
  test.slow();
  const other = await startReceiver();
  const path = world.path("moved");
  const endpoint = await world.createEndpoint({ name: `Moving ${world.key}`, url: world.receiver.url(path) });
  const affiliate = await signedIn(browser, { role: "affiliate", affiliate: world.key, baseURL });
  const theirs = await affiliate.newPage();
  const ops = await signedIn(browser, { role: "ops", baseURL });
  const page = await ops.newPage();
  const ask = async (url: string) => {
    await open(theirs, `/portal/endpoints/${endpoint.id}/edit`);
    await theirs.getByLabel("URL", { exact: true }).fill(url);
    await theirs.getByRole("button", { name: "Save" }).click();
    await expect(theirs).toHaveURL(new RegExp(`/portal/endpoints/${endpoint.id}$`));
    await expect(change).toContainText("Another host needs the approval of Posthorn's operators.");
  };
  const change = theirs.getByRole("region", { name: "Change of host" });
  await ask(other.url(path));
  await expectAccessible(theirs);
  await world.delivery(await world.publish("{}"), "delivered");
  expect([world.receiver.requests(path).length, other.requests(path).length]).toEqual([1, 0]);

  await open(page, "/approvals");
  await expectAccessible(page);
  await page.getByRole("button", { name: `Refuse the change of ${endpoint.name}` }).click();
  const question = page.getByRole("alertdialog");
  await expect(question).toContainText(other.url(path));
  const refuse = question.getByRole("button", { name: "Refuse" });
  await expect(refuse).toHaveAccessibleDescription("Give a reason first.");
  await question.getByLabel("Reason").fill("We do not know that host");
  await refuse.click();
  await expect(page.getByText("The change was refused.")).toBeVisible();
  await theirs.reload();
  await expect(change).toContainText("The endpoint goes on as it was. Reason: We do not know that host");

  await ask(other.url(path));
  await open(page, "/approvals");
  await page.getByRole("button", { name: `Approve the change of ${endpoint.name}` }).click();
  await question.getByRole("button", { name: "Approve" }).click();
  await expect(page.getByText(`${endpoint.name} sends to its new host.`)).toBeVisible();
  await world.delivery(await world.publish("{}"), "delivered");
  expect([world.receiver.requests(path).length, other.requests(path).length]).toEqual([1, 1]);
  await page.getByRole("link", { name: "Decided" }).click();
  await expect(page.getByRole("row").filter({ hasText: endpoint.name })).toHaveCount(2);
  await Promise.all([affiliate, ops].map((context) => context.close()));
  await other.close();
});
