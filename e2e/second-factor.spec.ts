import { createPrivateKey } from "node:crypto";
import type { Page } from "@playwright/test";
import { startOidcProvider } from "#test/helpers/oidc-provider.ts";
import { codeOf } from "#test/helpers/totp.ts";
import { e2ePassword, makeUser } from "./signed-in.ts";
import { expect, expectAccessible, open, test } from "./support.ts";

test.use({ storageState: { cookies: [], origins: [] } });

/** The step that asks for a code comes next, where there is a second factor. */
async function givePassword(page: Page, email: string) {
  await page.goto("/sign-in");
  await page.getByRole("textbox", { name: "E-mail" }).fill(email);
  await page.getByLabel("Password").fill(e2ePassword());
  await page.getByRole("button", { name: "Sign in", exact: true }).click();
}

/** The status that it is answered with. */
async function giveCode(page: Page, code: string): Promise<number> {
  const answered = page.waitForResponse("**/api/console/sign-in/code");
  await page.getByLabel("Code").fill(code);
  await page.getByRole("button", { name: "Sign in", exact: true }).click();
  return (await answered).status();
}

async function signOut(page: Page) {
  // The page answers from then on.
  await expect(page.getByRole("button", { name: "Local", pressed: true })).toBeVisible();
  await page.getByRole("button", { name: "Sign out", exact: true }).click();
  await expect(page).toHaveURL(/\/sign-in$/);
}

const refusal = (page: Page) => page.getByRole("alert").filter({ hasText: "The code is wrong or was used" });

test("a second factor is turned on, asked for, and lost: each code and each backup code is good once", async ({
  page,
}) => {
  test.slow();
  const { name, email } = await makeUser("ops");
  await givePassword(page, email);
  await expect(page.getByRole("link", { name })).toBeVisible();
  await open(page, "/settings/account");
  await page.getByLabel("Your password").fill(e2ePassword());
  await page.getByRole("button", { name: "Set up an app" }).click();
  const secret = (await page.locator("code").textContent()) ?? "";
  const backupCodes = ((await page.locator("pre").textContent()) ?? "").split("\n");
  expect(backupCodes).toHaveLength(10);
  await expectAccessible(page);
  const wrong = codeOf(secret, Date.now() - 3_600_000);
  await page.getByLabel("Code that the app shows now").fill(wrong);
  await page.getByRole("button", { name: "Turn it on" }).click();
  await expect(page.getByText("is not what the app shows")).toBeVisible();
  const first = codeOf(secret);
  await page.getByLabel("Code that the app shows now").fill(first);
  await page.getByRole("button", { name: "Turn it on" }).click();
  await expect(page.getByRole("button", { name: "Turn it off" })).toBeVisible();
  await signOut(page);

  await givePassword(page, email);
  await expect(page.getByLabel("Code")).toBeFocused();
  await expectAccessible(page);
  // Nothing is open yet.
  expect((await page.request.get("/api/console/account")).status()).toBe(401);
  for (const code of [wrong, first]) {
    expect(await giveCode(page, code)).toBe(401);
    await expect(refusal(page)).toBeVisible();
  }
  // The next half minute's, since this one's was used up above; an app may be ahead by as much.
  await giveCode(page, codeOf(secret, Date.now() + 30_000));
  await expect(page.getByRole("link", { name })).toBeVisible();
  await signOut(page);

  const [lost = "", other = ""] = backupCodes;
  await givePassword(page, email);
  await giveCode(page, lost);
  await expect(page.getByRole("link", { name })).toBeVisible();
  await signOut(page);
  await givePassword(page, email);
  expect(await giveCode(page, lost)).toBe(401);
  await expect(refusal(page)).toBeVisible();
  await giveCode(page, other);
  await expect(page.getByRole("link", { name })).toBeVisible();
});

test("single sign-on lets in whom the identity provider knows and an admin has let in, and nobody else", async ({
  page,
}) => {
  test.slow();
  const { name, email } = await makeUser("support");
  const begin = async () => {
    await page.goto("/sign-in?next=%2Fdeliveries%3Fstate%3Dfailed");
    // Pressed before the page answers, the button does nothing.
    await expect(async () => {
      const asked = page.waitForRequest("**/api/console/sign-in/oidc", { timeout: 3_000 });
      await Promise.all([asked, page.getByRole("button", { name: "Sign in with single sign-on" }).click()]);
    }).toPass();
  };
  // The system was started without it, and finds it now.
  const provider = await startOidcProvider({
    port: Number(process.env.POSTHORN_E2E_OIDC_PORT),
    clientSecret: process.env.POSTHORN_E2E_OIDC_SECRET ?? "",
    privateKey: createPrivateKey(process.env.POSTHORN_E2E_OIDC_KEY ?? ""),
  });
  try {
    provider.isAtBrowser({ sub: "stranger", email: `stranger-${email}`, email_verified: true });
    await begin();
    await expect(page).toHaveURL(/\/sign-in\?failed=single-sign-on/);
    await expect(page.getByRole("alert").filter({ hasText: "did not let you in" })).toBeVisible();
    await expectAccessible(page);

    provider.isAtBrowser({ sub: email, email, email_verified: true });
    await begin();
    await expect(page).toHaveURL(/\/deliveries\?state=failed$/);
    await expect(page.getByRole("link", { name })).toBeVisible();
    await signOut(page);
  } finally {
    await provider.close();
  }
});
