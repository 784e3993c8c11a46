import type { Browser, Page } from "@playwright/test";
import { browserOf, e2ePassword, makeUser, signedIn } from "./signed-in.ts";
import { expect, expectAccessible, open, test } from "./support.ts";

/** An admin invites somebody at /settings/users; the link. */
async function invite(
  page: Page,
  { email, role, affiliate }: { email: string; role: string; affiliate?: { key: string; name: string } },
): Promise<string> {
  await open(page, "/settings/users");
  await page.getByRole("button", { name: "Invite a user" }).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByLabel("E-mail").fill(email);
  await dialog.getByRole("radio", { name: role }).check();
  if (affiliate) {
    await dialog.getByRole("combobox", { name: "Affiliate" }).click();
    await page.getByRole("combobox", { name: "Search affiliate" }).fill(affiliate.key);
    await page.getByRole("option", { name: affiliate.name }).click();
  }
  await expectAccessible(page);
  await dialog.getByRole("button", { name: "Make the link" }).click();
  await expect(dialog.getByRole("heading", { name: `${email} is invited` })).toBeVisible();
  await expectAccessible(page);
  await expect(dialog.getByRole("button", { name: "Copy invitation link" })).toBeVisible();
  const link = new URL((await dialog.locator("code").textContent()) ?? "");
  await dialog.getByRole("button", { name: "I have copied it" }).click();
  return link.pathname + link.search;
}

const accepted = (page: Page) => page.getByRole("status").filter({ hasText: "The invitation was accepted." });

/** Somebody else, in a browser of their own, takes the link. */
async function accept(
  browser: Browser,
  link: string,
  { name, baseURL }: { name: string; baseURL: string | undefined },
) {
  const context = await browser.newContext({
    ...(baseURL === undefined ? {} : { baseURL }),
    storageState: { cookies: [], origins: [] },
  });
  const page = await context.newPage();
  await page.goto(link);
  await expect(page.getByRole("heading", { name: "You are invited" })).toBeVisible();
  await expectAccessible(page);
  await page.getByLabel("Name").fill(name);
  await page.getByLabel("Password").fill("password1234");
  await page.getByRole("button", { name: "Accept the invitation" }).click();
  await expect(page.getByText("among the first that anybody would try")).toBeVisible();
  await page.getByLabel("Password").fill(`${e2ePassword()}!`);
  await page.getByRole("button", { name: "Accept the invitation" }).click();
  await expect(accepted(page)).toBeVisible();
  await expectAccessible(page);
  return page;
}

/** And signs in with what they chose. */
async function signInThere(page: Page, email: string) {
  await page.getByRole("link", { name: "Sign in" }).click();
  await page.getByRole("textbox", { name: "E-mail" }).fill(email);
  await page.getByLabel("Password").fill(`${e2ePassword()}!`);
  await page.getByRole("button", { name: "Sign in", exact: true }).click();
}

test("a support user is invited, sees what is theirs, and the link works once", async ({
  page,
  browser,
  baseURL,
  world,
}) => {
  test.slow();
  const email = `support-${world.key}@posthorn.example`;
  const link = await invite(page, { email, role: "Support" });
  const name = `Sue ${world.key}`;
  const theirs = await accept(browser, link, { name, baseURL });
  await signInThere(theirs, email);
  await expect(theirs).toHaveURL(/\/endpoints\?view=failing$/);
  await expect(theirs.getByRole("link", { name })).toBeVisible();
  await expect(theirs.getByRole("link", { name: "Users", exact: true })).toHaveCount(0);
  for (const path of ["/settings/users", "/settings/invitations", "/settings/api-keys", "/portal"])
    expect((await theirs.goto(path))?.status(), path).toBe(404);
  await theirs.goto(link);
  await expect(theirs.getByText("This invitation was used already")).toBeVisible();
  await expectAccessible(theirs);

  // The admin takes the right away again, and it is gone where they are at this moment.
  await open(theirs, "/overview");
  await open(page, `/settings/users?q=${email}`);
  await page.getByRole("button", { name: `Manage ${name}` }).click();
  const dialog = page.getByRole("dialog");
  await expectAccessible(page);
  await dialog.getByRole("radio", { name: "Ops" }).check();
  await dialog.getByRole("button", { name: "Change the role" }).click();
  await expect(page.getByText(`${name} has the role ops now.`)).toBeVisible();
  await page.getByRole("button", { name: `Manage ${name}` }).click();
  await dialog.getByRole("button", { name: "Deactivate" }).click();
  await expect(page.getByRole("row").filter({ hasText: email })).toContainText("Deactivated");
  await theirs.goto("/overview");
  await expect(theirs).toHaveURL(/\/sign-in\?next=%2Foverview$/);
  await theirs.context().close();
});

test("an affiliate's user is invited and sees the portal alone; an invitation is revoked", async ({
  page,
  browser,
  baseURL,
  world,
}) => {
  test.slow();
  await world.createEndpoint({ name: "Mine", url: world.receiver.url(world.path("mine")) });
  const email = `user-${world.key}@posthorn.example`;
  const link = await invite(page, { email, role: "Affiliate", affiliate: world });
  const theirs = await accept(browser, link, { name: `Ann ${world.key}`, baseURL });
  await signInThere(theirs, email);
  await expect(theirs).toHaveURL(/\/portal$/);
  await expect(theirs.getByText("Mine", { exact: true })).toBeVisible();
  for (const path of ["/overview", "/endpoints", "/affiliates", "/settings/users"])
    expect((await theirs.goto(path))?.status(), path).toBe(404);
  await theirs.context().close();
  await open(page, `/settings/users?affiliate=${world.key}`);
  await expect(page.getByRole("row").filter({ hasText: email })).toContainText(world.name);

  const other = `other-${world.key}@posthorn.example`;
  const revoked = await invite(page, { email: other, role: "Ops" });
  await open(page, "/settings/invitations");
  await page.getByLabel("E-mail").fill(other);
  await page.getByRole("button", { name: `Revoke the invitation of ${other}` }).click();
  await page.getByRole("alertdialog").getByRole("button", { name: "Revoke the invitation" }).click();
  await expect(page.getByRole("row").filter({ hasText: other })).toContainText("Revoked");
  await page.goto(revoked);
  await expect(page.getByText("This invitation was revoked")).toBeVisible();
});

test("who forgot their password sets a new one with an admin's link, once", async ({
  page,
  browser,
  baseURL,
}) => {
  test.slow();
  const { name, email } = await makeUser("support");
  await open(page, `/settings/users?q=${email}`);
  await page.getByRole("button", { name: `Manage ${name}` }).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByRole("button", { name: "Make a password link" }).click();
  await expect(dialog.getByRole("button", { name: "Copy password link" })).toBeInViewport();
  await expectAccessible(page);
  const link = new URL((await dialog.locator("code").textContent()) ?? "");

  const context = await browserOf(browser, { reader: "visitor", affiliate: "", baseURL });
  const theirs = await context.newPage();
  await theirs.goto("/sign-in");
  await expect(theirs.getByText("Ask an admin for a link to a new one")).toBeVisible();
  await theirs.goto(link.pathname + link.search);
  await expect(theirs.getByLabel("E-mail")).toHaveValue(email);
  await expectAccessible(theirs);
  await theirs.getByLabel("New password").fill("password1234");
  await theirs.getByRole("button", { name: "Set the password" }).click();
  await expect(theirs.getByText("among the first that anybody would try")).toBeVisible();
  await theirs.getByLabel("New password").fill(`${e2ePassword()}!`);
  await theirs.getByRole("button", { name: "Set the password" }).click();
  await expect(theirs.getByRole("status").filter({ hasText: "Your password was set" })).toBeVisible();
  await signInThere(theirs, email);
  await expect(theirs.getByRole("link", { name })).toBeVisible();
  await theirs.goto(link.pathname + link.search);
  await expect(theirs.getByText("This link was used already")).toBeVisible();
  await expectAccessible(theirs);
  await context.close();
});

test("whether an invited address is a user's already is not told, and nothing of that user changes", async ({
  page,
  browser,
  baseURL,
  world,
}) => {
  const known = await makeUser("support");
  const words = [];
  for (const email of [known.email, `new-${world.key}@posthorn.example`]) {
    const link = await invite(page, { email, role: "Ops" });
    const theirs = await accept(browser, link, { name: `Eve ${world.key}`, baseURL });
    words.push((await accepted(theirs).textContent())?.replace(email, "..."));
    expect((await theirs.request.get("/api/console/account")).status()).toBe(401);
    await theirs.context().close();
  }
  expect(words[0]).toBe(words[1]);
  const answer = await page.request.post("/api/console/sign-in", {
    data: { email: known.email, password: `${e2ePassword()}!` },
  });
  expect(answer.status()).toBe(401);
});

test("nobody changes their own role, and is told so", async ({ page }) => {
  await open(page, "/settings/users?q=first.admin@posthorn.example");
  await page.getByRole("button", { name: "Manage First Admin" }).click();
  await expect(page.getByRole("dialog")).toContainText("Nobody changes their own role or access.");
});

for (const theme of ["light", "dark"] as const) {
  test(`support views as an affiliate, read-only, and stops: ${theme}`, async ({
    browser,
    baseURL,
    world,
  }) => {
    await world.createEndpoint({ name: "Theirs", url: world.receiver.url(world.path("theirs")) });
    const context = await signedIn(browser, { role: "support", baseURL });
    const page = await context.newPage();
    await page.emulateMedia({ colorScheme: theme });
    await open(page, `/affiliates?q=${world.key}`);
    await page.getByRole("button", { name: `View as ${world.name}` }).click();
    await expect(page).toHaveURL(/\/portal$/);
    const bar = page.getByRole("region", { name: "Viewing as an affiliate" });
    await expect(bar).toContainText(`You are viewing as ${world.name}`);
    await expect(page.getByText("Theirs", { exact: true })).toBeVisible();
    await expectAccessible(page);
    // The console is not there meanwhile, and a bookmark leads back to where the view can be ended.
    await page.goto("/deliveries");
    await expect(page).toHaveURL(/\/portal$/);
    await bar.getByRole("button", { name: "Stop viewing" }).click();
    await expect(page).toHaveURL(/\/affiliates$/);
    await open(page, "/audit?action=affiliate.stop_viewing");
    await expect(
      page.getByRole("row").filter({ hasText: "Viewing as the affiliate ended" }).first(),
    ).toBeVisible();
    await context.close();
  });
}
