import { e2ePassword, firstAdmin, makeUser, signedIn } from "./signed-in.ts";
import { expect, expectAccessible, open, test } from "./support.ts";

test.describe("somebody who is not signed in", () => {
  test.use({ storageState: { cookies: [], origins: [] } });

  test("signs in and comes back to where they wanted to go, signs out, and can see nothing more", async ({
    page,
  }) => {
    const { name, email } = await makeUser("admin");
    await page.goto("/deliveries?state=failed");
    await expect(page).toHaveURL(/\/sign-in\?next=%2Fdeliveries%3Fstate%3Dfailed$/);
    await expectAccessible(page);
    await page.getByRole("textbox", { name: "E-mail" }).fill(email);
    await page.getByLabel("Password").fill("not the password");
    await page.getByRole("button", { name: "Sign in", exact: true }).click();
    const alert = page.getByRole("alert").filter({ hasText: "no such combination" });
    await expect(alert).toBeVisible();
    await page.getByLabel("Password").fill(e2ePassword());
    await page.getByRole("button", { name: "Sign in", exact: true }).click();
    await expect(page).toHaveURL(/\/deliveries\?state=failed$/);
    await expect(page.getByRole("link", { name })).toBeVisible();

    // The page answers from then on.
    await expect(page.getByRole("button", { name: "Local", pressed: true })).toBeVisible();
    await page.getByRole("button", { name: "Sign out" }).click();
    await expect(page).toHaveURL(/\/sign-in$/);
    await page.goto("/deliveries");
    await expect(page).toHaveURL(/\/sign-in\?next=%2Fdeliveries$/);
  });

  test("is never led to another site", async ({ page }) => {
    const { email } = await makeUser("admin");
    await page.goto("/sign-in?next=https://evil.example/");
    await page.getByRole("textbox", { name: "E-mail" }).fill(email);
    await page.getByLabel("Password").fill(e2ePassword());
    await page.getByRole("button", { name: "Sign in", exact: true }).click();
    await expect(page).toHaveURL(/\/overview$/);
  });

  test("is told to wait after too many tries, with the right password too", async ({ page, request }) => {
    const { email } = await makeUser("support");
    for (let tried = 0; tried < 10; tried += 1) {
      const data = { email, password: "not the password" };
      expect((await request.post("/api/console/sign-in", { data })).status()).toBe(401);
    }
    await page.goto("/sign-in");
    await page.getByRole("textbox", { name: "E-mail" }).fill(email);
    await page.getByLabel("Password").fill(e2ePassword());
    await page.getByRole("button", { name: "Sign in", exact: true }).click();
    await expect(page.getByRole("alert").filter({ hasText: "Too many tries" })).toBeVisible();
  });
});

test("signing out everywhere ends the session elsewhere, in the middle of the work", async ({
  browser,
  baseURL,
}) => {
  test.slow();
  const context = await signedIn(browser, { role: "ops", baseURL });
  const elsewhere = await browser.newContext({
    ...(baseURL === undefined ? {} : { baseURL }),
    storageState: await context.storageState(),
  });
  const page = await context.newPage();
  await open(page, "/settings/account");
  await expectAccessible(page);
  const other = await elsewhere.newPage();
  await open(other, "/overview");
  await page.getByRole("button", { name: "Sign out everywhere" }).click();
  await page.getByRole("alertdialog").getByRole("button", { name: "Sign out everywhere" }).click();
  await expect(page).toHaveURL(/\/sign-in$/);
  // Its next refresh is refused, which comes by itself.
  await expect(other).toHaveURL(/\/sign-in\?next=%2Foverview$/);
  await Promise.all([context.close(), elsewhere.close()]);
});

test("support sees what it may not do and why, and no page that is not for it", async ({
  browser,
  baseURL,
  world,
}) => {
  const endpoint = await world.createEndpoint({
    name: "Looked at",
    url: world.receiver.url(world.path("a")),
  });
  const context = await signedIn(browser, { role: "support", baseURL });
  const page = await context.newPage();
  await open(page, `/endpoints/${endpoint.id}`);
  await expectAccessible(page);
  const hold = page.getByRole("button", { name: "Hold open" });
  await expect(hold).toBeDisabled();
  await expect(hold).toHaveAccessibleDescription(/needs the role ops or admin; yours is support/);
  await expect(page.getByRole("button", { name: "Pause", exact: true })).toBeEnabled();
  await expect(page.getByRole("link", { name: "API keys" })).toHaveCount(0);
  for (const path of ["/settings/api-keys", "/endpoints/new", `/endpoints/${endpoint.id}/edit`, "/portal"])
    expect((await page.goto(path))?.status(), path).toBe(404);
  await context.close();
});

test("an affiliate's user comes to their portal, and finds nothing of the console", async ({
  browser,
  baseURL,
  world,
}) => {
  await world.createEndpoint({ name: "Mine", url: world.receiver.url(world.path("mine")) });
  const context = await signedIn(browser, { role: "affiliate", affiliate: world.key, baseURL });
  const page = await context.newPage();
  await page.goto("/");
  await expect(page).toHaveURL(/\/portal$/);
  await expect(page.getByRole("heading", { level: 1, name: "Nothing has been sent yet" })).toBeVisible();
  await expect(page.getByRole("link", { name: "Mine", exact: true })).toBeVisible();
  await expectAccessible(page);
  for (const path of ["/overview", "/endpoints", "/audit", "/settings/api-keys"])
    expect((await page.goto(path))?.status(), path).toBe(404);
  await open(page, "/settings/account");
  await context.close();
});

test("the reader is told of the session in the menu", async ({ page }) => {
  await open(page, "/overview");
  await expect(page.getByRole("link", { name: firstAdmin.name })).toBeVisible();
});
