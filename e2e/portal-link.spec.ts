import { signedIn } from "./signed-in.ts";
import { expect, expectAccessible, open, test } from "./support.ts";

const headers = { authorization: `Bearer ${process.env.POSTHORN_E2E_API_KEY}` };

for (const viewport of [
  { width: 390, height: 844 },
  { width: 1440, height: 900 },
]) {
  test(`a portal link opens the portal once, and not twice, ${viewport.width} px wide`, async ({
    browser,
    baseURL,
    request,
    world,
  }) => {
    const made = await request.post(`/api/v1/affiliates/${world.key}/portal-link`, {
      headers,
      data: { minutes: 5 },
    });
    expect(made.status()).toBe(201);
    const { url } = await made.json();
    const path = new URL(url).pathname + new URL(url).search;
    // What only looks ahead does not use it up.
    const ahead = await request.get(path, { headers: { "sec-purpose": "prefetch" } });
    expect(ahead.status()).toBe(200);
    expect(ahead.headers()["content-security-policy"]).toContain("frame-ancestors 'none'");

    const fresh = { baseURL: baseURL ?? "", storageState: { cookies: [], origins: [] }, viewport };
    const context = await browser.newContext(fresh);
    const page = await context.newPage();
    await page.goto(path);
    await expect(page).toHaveURL(/\/portal$/);
    await expect(page.getByText(/Portal link of/).first()).toBeVisible();
    await page.goBack().catch(() => null);
    await expect(page).not.toHaveURL(/token=/);
    await open(page, "/portal/deliveries");
    await expectAccessible(page);
    expect((await context.request.get("/settings/account")).status()).toBe(404);

    const second = await browser.newContext(fresh);
    const again = await second.newPage();
    await again.goto(path);
    await expect(again.getByText("This link is not valid any more")).toBeVisible();
    for (const colorScheme of ["light", "dark"] as const) {
      await again.emulateMedia({ colorScheme });
      await expectAccessible(again);
    }
    expect((await second.request.get("/portal", { maxRedirects: 0 })).status()).not.toBe(200);
    await page.getByRole("button", { name: "Sign out" }).click();
    await expect(page).toHaveURL(/\/sign-in/);
    expect((await context.request.get("/api/console/deliveries")).status()).toBe(401);
    await context.close();
    await second.close();
  });
}

test("who is signed in is asked before a portal link takes the place of that", async ({
  browser,
  baseURL,
  request,
  world,
}) => {
  const context = await signedIn(browser, { role: "support", baseURL });
  const made = await request.post(`/api/v1/affiliates/${world.key}/portal-link`, { headers, data: {} });
  const { url } = await made.json();
  const page = await context.newPage();
  await page.goto(new URL(url).pathname + new URL(url).search);
  await expect(page.getByText(/^You are signed in as support/)).toBeVisible();
  await page.getByRole("button", { name: "Open the portal" }).click();
  await expect(page).toHaveURL(/\/portal$/);
  await context.close();
});
