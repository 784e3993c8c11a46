import { mkdir } from "node:fs/promises";
import path from "node:path";
import { parseArgs } from "node:util";
import { type APIRequestContext, type Browser, type BrowserContext, chromium } from "@playwright/test";
import sharp from "sharp";
import type { Page as ListPage } from "#lib/api/paging.ts";
import type { Delivery } from "#lib/deliveries/schema.ts";
import type { Endpoint } from "#lib/endpoints/schema.ts";
import { chromiumArguments, ensureChromium, findChromium } from "./chromium.ts";
import { demoAdmin } from "./demo-users.ts";

// The README's pictures, taken from a running demo, with the password that it prints:
// `npm run screenshots -- --password horn-... --url http://127.0.0.1:3000`.
const folder = path.join(import.meta.dirname, "..", "docs", "images");
const { values } = parseArgs({
  options: {
    url: { type: "string", default: "http://127.0.0.1:3000" },
    email: { type: "string", default: demoAdmin.email },
    password: { type: "string", default: "" },
  },
});
const baseURL = values.url;

if (!ensureChromium()) process.exit(1);
const executablePath = findChromium();
const browser = await chromium.launch({
  args: chromiumArguments(),
  ...(executablePath === undefined ? {} : { executablePath }),
});
try {
  const { request, state } = await signIn(browser);
  const pages = await choosePages(request);
  await mkdir(folder, { recursive: true });
  for (const theme of ["light", "dark"] as const) await takeAll(browser, { theme, pages, state });
} finally {
  await browser.close();
}

type State = Awaited<ReturnType<BrowserContext["storageState"]>>;

/** `shows` is there once the page has its data. */
type Shot = { name: string; path: string; shows: string };

async function signIn(browser: Browser): Promise<{ request: APIRequestContext; state: State }> {
  const context = await browser.newContext({ baseURL });
  const { email, password } = values;
  const answer = await context.request
    .post("/api/console/sign-in", { data: { email, password } })
    .catch(() => undefined);
  if (!answer) throw new Error(`Nothing answers at ${baseURL}: start \`npm run demo\` first`);
  if (!answer.ok()) throw new Error(`${email} cannot sign in: give --password as the demo prints it`);
  return { request: context.request, state: await context.storageState() };
}

async function choosePages(request: APIRequestContext): Promise<Shot[]> {
  const failing = await read<Endpoint>(request, "endpoints?failing=true");
  const dead = await read<Delivery>(request, "deliveries?state=dead_letter&limit=100");
  const endpoint =
    failing.find(({ health }) => health.last_failure_reason === "connection_refused") ?? failing[0];
  const delivery = dead.find(({ attempt_number, last_status }) => attempt_number > 2 && last_status !== null);
  if (!endpoint || !delivery)
    throw new Error("The demo has not failed enough yet: let it run for a few minutes");
  return [
    { name: "overview", path: "/overview", shows: "svg.recharts-surface" },
    { name: "endpoint", path: `/endpoints/${endpoint.id}`, shows: "a[data-row-link]" },
    { name: "delivery", path: `/deliveries/${delivery.id}`, shows: "details[open]" },
  ];
}

async function read<T>(request: APIRequestContext, what: string): Promise<T[]> {
  const response = await request.get(`/api/console/${what}`, { timeout: 10_000 });
  if (!response.ok()) throw new Error(`${what} could not be read: ${response.status()}`);
  return ((await response.json()) as ListPage<T>).data;
}

async function takeAll(
  browser: Browser,
  { theme, pages, state }: { theme: "light" | "dark"; pages: Shot[]; state: State },
): Promise<void> {
  const context = await browser.newContext({
    baseURL,
    storageState: state,
    viewport: { width: 1440, height: 900 },
    colorScheme: theme,
    reducedMotion: "reduce",
    locale: "en-GB",
    timezoneId: "UTC",
  });
  const page = await context.newPage();
  for (const shot of pages) {
    await page.goto(shot.path);
    await page.locator(shot.shows).first().waitFor();
    await page.evaluate(() => document.fonts.ready);
    const file = path.join(folder, `${shot.name}-${theme}.png`);
    // A palette holds all that such a page shows, at two fifths of the size.
    const { size } = await sharp(await page.screenshot())
      .png({ palette: true, effort: 10 })
      .toFile(file);
    console.log(`${path.relative(process.cwd(), file)}  ${Math.round(size / 1_024)} KiB`);
  }
  await context.close();
}
