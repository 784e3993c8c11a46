import { randomUUID } from "node:crypto";
import { mkdir, rm } from "node:fs/promises";
import path from "node:path";
import { parseArgs } from "node:util";
import { type APIRequestContext, type Browser, type BrowserContext, chromium } from "@playwright/test";
import sharp from "sharp";
import type { Page as ListPage } from "#lib/api/paging.ts";
import type { Delivery } from "#lib/deliveries/schema.ts";
import type { Requeue } from "#lib/requeues/schema.ts";
import { existingPath, pagesByReader, type Reader } from "../e2e/web-routes.ts";
import { chromiumArguments, ensureChromium, findChromium } from "./chromium.ts";
import { readMemory } from "./demo-setup.ts";
import { demoAdmin, demoAffiliateUser } from "./demo-users.ts";
import { demoPlayersAffiliates } from "./demo-world.ts";

// Pictures of a running `npm run demo`: every page in both themes and on two widths into test-results/screenshots,
// to be looked at, and those of the README into docs/images.
const root = path.join(import.meta.dirname, "..");
const everyPage = path.join(root, "test-results", "screenshots");
const readme = path.join(root, "docs", "images");
const readmePages = ["/overview", "/endpoints/[id]", "/deliveries/[id]", "/dead-letters"];

const { values } = parseArgs({
  options: {
    url: { type: "string", default: "http://127.0.0.1:3000" },
    data: { type: "string", default: ".posthorn/demo" },
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
  const { password } = await readMemory(values.data);
  const states: Record<Reader, State> = {
    staff: await signIn(browser, { email: demoAdmin.email, password }),
    affiliate: await signIn(browser, { email: demoAffiliateUser.email, password }),
    visitor: { cookies: [], origins: [] },
  };
  const shots = await chooseShots(browser, states);
  await rm(everyPage, { recursive: true, force: true });
  for (const theme of ["light", "dark"] as const) {
    for (const width of [1440, 390] as const) await takeAll(browser, { theme, width, shots, states });
  }
} finally {
  await browser.close();
}

type State = Awaited<ReturnType<BrowserContext["storageState"]>>;
type Shot = { reader: Reader; route: string; path: string };

async function signIn(browser: Browser, data: { email: string; password: string }): Promise<State> {
  const context = await browser.newContext({ baseURL });
  const answer = await context.request.post("/api/console/sign-in", { data }).catch(() => undefined);
  if (!answer) throw new Error(`Nothing answers at ${baseURL}: start \`npm run demo\` first`);
  if (!answer.ok())
    throw new Error(`${data.email} cannot sign in: is ${baseURL} the demo of ${values.data}?`);
  const state = await context.storageState();
  await context.close();
  return state;
}

/** Every page, with records that have something to show, and that are the reader's own. */
async function chooseShots(browser: Browser, states: Record<Reader, State>): Promise<Shot[]> {
  const staff = await browser.newContext({ baseURL, storageState: states.staff });
  const affiliate = await browser.newContext({ baseURL, storageState: states.affiliate });
  const dead = await read<Delivery>(staff.request, "deliveries?state=dead_letter&limit=100");
  const failed = dead.find(({ attempt_number, last_status }) => attempt_number > 2 && last_status !== null);
  const [own] = await read<Delivery>(affiliate.request, "deliveries?attempts_min=1");
  if (!failed || !own) throw new Error("The demo has not run for long enough: let it for a few minutes");
  const requeue = await anyRequeue(staff.request, failed);
  await Promise.all([staff.close(), affiliate.close()]);
  return (Object.entries(pagesByReader()) as [Reader, string[]][]).flatMap(([reader, routes]) => {
    const delivery = reader === "affiliate" ? own : failed;
    const records = {
      affiliate: demoPlayersAffiliates[0]?.key ?? "",
      apiKey: "of-no-page",
      delivery: delivery.id,
      endpoint: delivery.endpoint.id,
      event: delivery.event_id,
      eventType: delivery.event_type,
      requeue,
    };
    return routes
      .filter((route) => route !== "/")
      .map((route) => {
        const query = route === "/endpoints/[id]" ? "?range=1h" : "";
        return { reader, route, path: existingPath(route, records) + query };
      });
  });
}

/** The demo makes none by itself. */
async function anyRequeue(request: APIRequestContext, { id }: Delivery): Promise<string> {
  const [known] = await read<Requeue>(request, "requeues");
  if (known) return known.id;
  const answer = await request.post("/api/console/requeues", {
    data: { request_id: randomUUID(), filter: { ids: [id] }, reason: "Their server is back" },
  });
  if (!answer.ok()) throw new Error(`No requeue could be made: ${await answer.text()}`);
  return ((await answer.json()) as Requeue).id;
}

async function read<T>(request: APIRequestContext, what: string): Promise<T[]> {
  const response = await request.get(`/api/console/${what}`, { timeout: 10_000 });
  if (!response.ok()) throw new Error(`${what} could not be read: ${response.status()}`);
  return ((await response.json()) as ListPage<T>).data;
}

type Look = { theme: "light" | "dark"; width: 1440 | 390; shots: Shot[]; states: Record<Reader, State> };

async function takeAll(browser: Browser, { theme, width, shots, states }: Look): Promise<void> {
  const folder = path.join(everyPage, `${theme}-${width}`);
  await mkdir(folder, { recursive: true });
  for (const reader of Object.keys(states) as Reader[]) {
    const context = await browser.newContext({
      baseURL,
      storageState: states[reader],
      viewport: { width, height: 900 },
      colorScheme: theme,
      reducedMotion: "reduce",
      locale: "en-GB",
      timezoneId: "UTC",
    });
    const page = await context.newPage();
    for (const shot of shots.filter((one) => one.reader === reader)) {
      await page.goto(shot.path, { waitUntil: "networkidle" });
      await page.evaluate(() => document.fonts.ready);
      const name = nameOf(shot.route);
      await page.screenshot({ path: path.join(folder, `${name}.png`), fullPage: true });
      if (width === 1440 && readmePages.includes(shot.route))
        await shrink(await page.screenshot(), path.join(readme, `${name}-${theme}.png`));
    }
    await context.close();
  }
}

/** Such as `endpoint` for `/endpoints/[id]`. */
function nameOf(route: string): string {
  return route
    .slice(1)
    .replace(/(ie)?s\/\[[^\]]+\]/g, (_, y) => (y ? "y" : ""))
    .replaceAll("/", "-");
}

/** A palette holds all that such a page shows, at two fifths of the size. */
async function shrink(picture: Buffer, file: string): Promise<void> {
  const { size } = await sharp(picture).png({ palette: true, effort: 10 }).toFile(file);
  console.log(`${path.relative(process.cwd(), file)}  ${Math.round(size / 1_024)} KiB`);
}
