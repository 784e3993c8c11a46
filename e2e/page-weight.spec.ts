import type { BrowserContext } from "@playwright/test";
import { request } from "undici";
import { makeRecords } from "./records.ts";
import { browserOf } from "./signed-in.ts";
import { expect, open, test } from "./support.ts";
import { existingPath, pagesByReader, type Reader } from "./web-routes.ts";

const mostBytes = 250_000;

/** Bytes of each script, compressed as they come over the wire. */
const sizes = new Map<string, Promise<number>>();

function bytesOf(url: string): Promise<number> {
  const known = sizes.get(url);
  if (known) return known;
  const size = request(url, { headers: { "accept-encoding": "gzip" } }).then(async ({ headers, body }) => {
    const { byteLength } = await body.arrayBuffer();
    // What fits into one packet is sent as it is.
    if (byteLength > 1_024) expect(headers["content-encoding"], url).toBe("gzip");
    return byteLength;
  });
  sizes.set(url, size);
  return size;
}

/** Bytes of the JavaScript that the document itself asks for. */
async function scriptBytes(context: BrowserContext, url: URL): Promise<number> {
  const html = await (await context.request.get(url.href)).text();
  const scripts = [...html.matchAll(/<script\b[^>]*\bsrc="([^"]+)"[^>]*>/g)]
    .filter(([tag]) => !/\snomodule\b/i.test(tag))
    .map(([, src = ""]) => new URL(src, url).href);
  const bytes = await Promise.all([...new Set(scripts)].map(bytesOf));
  return bytes.reduce((sum, one) => sum + one, 0);
}

test("no page transfers more than 250 kB of JavaScript before somebody acts", async ({
  browser,
  baseURL,
  request,
  world,
}, testInfo) => {
  const records = await makeRecords(request, world);
  const weights: string[] = [];
  for (const [reader, routes] of Object.entries(pagesByReader()) as [Reader, string[]][]) {
    const context = await browserOf(browser, { reader, affiliate: world.key, baseURL });
    for (const route of routes) {
      const bytes = await scriptBytes(context, new URL(existingPath(route, records), baseURL));
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
