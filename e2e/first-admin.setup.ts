import { adminStateFile, e2ePassword, firstAdmin, systemFacts } from "./signed-in.ts";
import { expect, expectAccessible, test } from "./support.ts";

test("the set-up link makes the first admin, once", async ({ page, browser }) => {
  await page.goto("/overview");
  await expect(page).toHaveURL(/\/sign-in\?next=%2Foverview$/);
  await expect(page.getByText("Nobody can sign in yet.")).toBeVisible();

  const { setupUrl } = await systemFacts();
  await page.goto(setupUrl ?? "");
  await expectAccessible(page);
  await page.getByRole("textbox", { name: "Name" }).fill(firstAdmin.name);
  await page.getByRole("textbox", { name: "E-mail" }).fill(firstAdmin.email);
  await page.getByLabel("Password").fill("password1234");
  await page.getByRole("button", { name: "Create the first admin" }).click();
  await expect(page.getByText("among the first that anybody would try")).toBeVisible();
  await page.getByLabel("Password").fill(e2ePassword());
  await page.getByRole("button", { name: "Create the first admin" }).click();
  await expect(page).toHaveURL(/\/overview$/);
  await expect(page.getByRole("link", { name: firstAdmin.name })).toBeVisible();
  await page.context().storageState({ path: adminStateFile });

  const other = await browser.newPage();
  await other.goto(setupUrl ?? "");
  await expect(other.getByRole("heading", { name: "This link is not valid any more" })).toBeVisible();
  await other.close();
});
