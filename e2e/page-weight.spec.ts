import type { Page } from "@playwright/test";
import { makeRecords } from "./records.ts";
import { browserOf } from "./signed-in.ts";
import { expect, open, test } from "./support.ts";
import { existingPath, pagesByReader, type Reader } from "./web-routes.ts";

const mostBytes = 250_000;

/** Bytes of the JavaScript that the document itself asks for, compressed as they came over the wire, this time or before. */
async function scriptBytes(page: Page, path: string): Promise<number> {
  const devtools = await page.context().newCDPSession(page);
  await devtools.send("Network.enable");
  const asked = new Set<string>();
  devtools.on("Network.requestWillBeSent", ({ type, initiator, request }) => {
    if (type === "Script" && initiator.type === "parser") asked.add(request.url);
  });
  await page.goto(path);
  await expect(page.getByRole("heading", { level: 1 })).toBeVisible();
  await devtools.detach();
  return page.evaluate(
    (urls) => {
      const entries = performance.getEntriesByType("resource") as PerformanceResourceTiming[];
      return entries
        .filter(({ name }) => urls.includes(name))
        .reduce((sum, { encodedBodySize }) => sum + encodedBodySize, 0);
    },
    [...asked],
  );
}

test("no page asks for more than 250 kB of JavaScript when it is opened", async ({
  browser,
  baseURL,
  request,
  world,
}, testInfo) => {
  const records = await makeRecords(request, world);
  const weights: string[] = [];
  for (const [reader, routes] of Object.entries(pagesByReader()) as [Reader, string[]][]) {
    const context = await browserOf(browser, { reader, affiliate: world.key, baseURL });
    const page = await context.newPage();
    for (const route of routes) {
      const bytes = await scriptBytes(page, existingPath(route, records));
      weights.push(`${String(Math.round(bytes / 1_000)).padStart(4)} kB ${route}`);
      // Less would say that the measurement misses them.
      expect.soft(bytes, route).toBeGreaterThan(50_000);
      expect.soft(bytes, route).toBeLessThan(mostBytes);
    }
    await context.close();
  }
  await testInfo.attach("weights", { body: weights.join("\n") });
});

test("the palette, dialogs and pickers come when they are asked for", async ({ page }) => {
  await open(page, "/deliveries");
  await page.waitForLoadState("networkidle");
  const late: string[] = [];
  page.on("response", (response) => {
    if (response.url().endsWith(".js")) late.push(response.url());
  });
  await page.keyboard.press("ControlOrMeta+k");
  await expect(page.getByRole("dialog", { name: "Go to anything" })).toBeVisible();
  expect(late.length).toBeGreaterThan(0);
});
