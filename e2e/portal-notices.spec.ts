import { signedIn } from "./signed-in.ts";
import { expect, expectAccessible, open, test } from "./support.ts";

for (const viewport of [
  { width: 390, height: 844 },
  { width: 1440, height: 900 },
]) {
  test(`an affiliate's user chooses what they are told and where, ${viewport.width} px wide`, async ({
    browser,
    baseURL,
    world,
  }) => {
    const context = await signedIn(browser, { role: "affiliate", affiliate: world.key, baseURL });
    const page = await context.newPage();
    await page.setViewportSize(viewport);
    await open(page, "/portal/notices");
    for (const name of ["It has been failing", "It was disabled", "It works again"])
      await expect(page.getByRole("checkbox", { name })).toBeChecked();
    await expect(page.getByText("Nothing has happened yet")).toBeVisible();
    const url = page.getByRole("textbox", { name: "By webhook" });
    await page.getByRole("checkbox", { name: "It works again" }).uncheck();
    await url.fill("http://10.0.0.1/notices");
    await page.getByRole("button", { name: "Save" }).click();
    await expect(page.getByText(/must be publicly reachable/)).toBeVisible();
    await url.fill(world.receiver.url(world.path("notices")));
    await page.getByRole("button", { name: "Save" }).click();
    await expect(page.getByText("It is shown this once.")).toBeVisible();
    await expect(page.getByText(/^whsec_/)).toBeVisible();
    for (const colorScheme of ["light", "dark"] as const) {
      await page.emulateMedia({ colorScheme });
      await expectAccessible(page);
    }
    await open(page, "/portal/notices");
    await expect(page.getByText(/^whsec_/)).toHaveCount(0);
    await expect(page.getByRole("checkbox", { name: "It works again" })).not.toBeChecked();
    await expect(url).toHaveValue(world.receiver.url(world.path("notices")));
    await context.close();
  });
}
