import type { Page } from "@playwright/test";
import { signedIn } from "./signed-in.ts";
import { eventType, expect, expectAccessible, open, test } from "./support.ts";

const widths = [
  { name: "a phone", viewport: { width: 390, height: 844 } },
  { name: "a desk", viewport: { width: 1440, height: 900 } },
];
const themes = ["light", "dark"] as const;

async function expectAccessibleInBoth(page: Page): Promise<void> {
  for (const colorScheme of themes) {
    await page.emulateMedia({ colorScheme });
    await expectAccessible(page);
  }
}

/** Nothing of the page lies beside the screen. */
async function expectToFit(page: Page): Promise<void> {
  const wider = await page.evaluate(
    () => document.documentElement.scrollWidth - document.documentElement.clientWidth,
  );
  expect(wider).toBeLessThanOrEqual(0);
}

for (const { name, viewport } of widths) {
  test(`on ${name} an affiliate finds a conversion by its click id, reads what happened and resends it`, async ({
    browser,
    baseURL,
    world,
  }) => {
    const click = `clk/${world.key}`;
    const path = world.path("tracker");
    let status = 401;
    world.receiver.script(path, () => ({ status, body: status === 401 ? "bad token" : "thanks" }));
    await world.createEndpoint({
      name: "Tracker",
      kind: "postback",
      url: `${world.receiver.url(path)}?cid={click_id}&s={status}`,
      event_types: [eventType],
    });
    const event = await world.publish(`{"click_id": "${click}", "status": "approved"}`);
    const { id } = await world.delivery(event, "dead_letter");
    const context = await signedIn(browser, { role: "affiliate", affiliate: world.key, baseURL });
    const page = await context.newPage();
    await page.setViewportSize(viewport);
    await open(page, "/portal/deliveries");
    await expectAccessibleInBoth(page);
    await expectToFit(page);

    const asked: string[] = [];
    page.on("request", (request) => asked.push(request.url()));
    const box = page.getByRole("textbox", { name: "Find a delivery by click id" });
    await box.fill("somebody-elses-click");
    await box.press("Enter");
    await expect(
      page.getByText("Nothing was sent, or is to be sent, for “somebody-elses-click”."),
    ).toBeVisible();
    await box.fill(click);
    await page.getByRole("button", { name: "Find" }).click();
    await expect(page).toHaveURL(new RegExp(`/portal/deliveries/${id}\\?q_hash=[0-9a-f]{32}$`));
    expect(asked.filter((url) => decodeURIComponent(url).includes(click))).toEqual([]);

    // Nothing is masked: it is theirs.
    const sent = `${world.receiver.url(path)}?cid=${encodeURIComponent(click)}&s=approved`;
    await expect(page.getByRole("group", { name: "URL", exact: true })).toHaveText(sent);
    await expect(
      page.getByText("Your server refused our credentials (401). Has the token changed?"),
    ).toBeVisible();
    await expect(page.getByRole("group", { name: "Response body" })).toHaveText(/bad token/);
    await expect(page.getByText("60 of 60 resends left this hour")).toBeVisible();
    await expectAccessibleInBoth(page);
    await expectToFit(page);

    status = 200;
    await page.getByRole("button", { name: "Resend same URL" }).click();
    await expect(page.getByText("Put back to be sent.")).toBeVisible();
    await expect(page.locator("h1 + span, h1 ~ *").getByText("Delivered").first()).toBeVisible();
    await expect(page.getByText("59 of 60 resends left this hour")).toBeVisible();
    await page.getByRole("navigation", { name: "Breadcrumb" }).getByRole("link").click();
    await expect(page).toHaveURL(/\/portal\/deliveries\?q_hash=/);
    await expect(page.getByRole("row")).toHaveCount(2);

    const download = page.waitForEvent("download");
    await page.getByRole("link", { name: "Export as CSV" }).click();
    expect((await download).suggestedFilename()).toBe("deliveries.csv");
    await context.close();
  });

  test(`on ${name} an affiliate sees their latency and success over time, and nobody else's`, async ({
    browser,
    baseURL,
    world,
  }) => {
    const endpoint = await world.createEndpoint({
      name: "Hook",
      url: world.receiver.url(world.path("hook")),
    });
    await world.delivery(await world.publish("{}"), "delivered");
    const context = await signedIn(browser, { role: "affiliate", affiliate: world.key, baseURL });
    const page = await context.newPage();
    await page.setViewportSize(viewport);
    for (const path of ["/portal/history", `/portal/endpoints/${endpoint.id}/history`]) {
      await open(page, path);
      await expect(page.getByRole("heading", { name: "Latency", exact: true })).toBeVisible();
      await expect(page.getByRole("heading", { name: "Outcomes" })).toBeVisible();
      await expectAccessibleInBoth(page);
      await expectToFit(page);
    }
    await open(page, "/portal/endpoints/01890a5d-ac96-774b-bcce-b302099a8057/history");
    await expect(page.getByText(/does not exist|There is no such/).first()).toBeVisible();
    await context.close();
  });
}
