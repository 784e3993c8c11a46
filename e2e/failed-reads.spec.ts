import { mkdtemp, rm } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import type { Page } from "@playwright/test";
import pg from "pg";
import { freePort } from "../scripts/ports.ts";
import { type Running, startPosthorn } from "../scripts/start.ts";
import { e2ePassword } from "./signed-in.ts";
import { expect, open, test } from "./support.ts";
import { pagesByReader } from "./web-routes.ts";

/** Pages that show what the database holds, but for one record, forms, and users, who are always read. */
const lists = pagesByReader().staff.filter(
  (route) => !/\[|\/new$|^\/$|^\/settings\/(account|users)$/.test(route),
);
/** Who asks is read before anything else: while these are locked, there is no page at all. */
const readOfEveryRequest = ["workers", "users", "sessions", "affiliates"];
const admin = { email: "admin@posthorn.example", password: e2ePassword() };
const tabsAtOnce = 4;

let system: Running;
let folder: string;

// A system of its own: nothing else may wait for what is locked here.
test.beforeAll(async () => {
  test.setTimeout(180_000);
  folder = await mkdtemp(path.join(os.tmpdir(), "posthorn-locked-"));
  const own = {
    DATABASE_URL: "",
    POSTHORN_SECRET_KEY: "",
    POSTHORN_API_KEY: undefined,
    POSTHORN_ADMIN_EMAIL: admin.email,
    POSTHORN_ADMIN_PASSWORD: admin.password,
  };
  const env = { ...process.env, ...own, POSTHORN_DATA_DIR: folder, PORT: String(await freePort()) };
  system = await startPosthorn({ env, mode: "start" });
});

test.afterAll(async () => {
  test.setTimeout(120_000);
  await system?.stop();
  await rm(folder, { recursive: true, force: true });
});

/** Locks every table for everybody else, except those named. */
async function lockTables({ except }: { except: string[] }): Promise<pg.Client> {
  const client = new pg.Client({ connectionString: system.databaseUrl });
  await client.connect();
  const { rows } = await client.query<{ names: string }>(
    `select string_agg(format('posthorn.%I', c.relname), ', ') as names from pg_class c
     where c.relnamespace = 'posthorn'::regnamespace and c.relkind in ('r', 'p') and not c.relispartition
       and c.relname <> all ($1)`,
    [except],
  );
  await client.query("begin");
  await client.query(`lock table ${rows[0]?.names} in access exclusive mode`);
  return client;
}

/** Replaces, in this browser alone, the session that the other tests share. */
async function signIn(page: Page): Promise<void> {
  const answer = await page.request.post(`${system.url}/api/console/sign-in`, { data: admin });
  expect(answer.ok(), await answer.text()).toBe(true);
}

async function expectFailure(page: Page, route: string): Promise<void> {
  await open(page, `${system.url}${route}`);
  const alert = page.getByRole("main").getByRole("alert").first();
  await expect(alert, route).toBeVisible({ timeout: 60_000 });
  await expect.soft(alert, route).toContainText(/could not be read/);
  await expect.soft(alert, route).toContainText("The database did not answer in time");
  await expect.soft(alert, route).toContainText("Request");
  const main = page.getByRole("main");
  await expect.soft(main.getByText(/\byet$/), `${route} looks empty`).toHaveCount(0);
  await expect.soft(main.getByText("0", { exact: true }), `${route} shows a zero`).toHaveCount(0);
  await expect.soft(main.getByRole("row"), route).toHaveCount(0);
}

test("a page whose statement runs into its time says so, and never shows 0 or an empty list", async ({
  page,
  context,
}) => {
  test.setTimeout(240_000);
  await signIn(page);
  const client = await lockTables({ except: readOfEveryRequest });
  try {
    for (let at = 0; at < lists.length; at += tabsAtOnce) {
      const tabs = lists.slice(at, at + tabsAtOnce).map(async (route) => {
        const tab = await context.newPage();
        await expectFailure(tab, route);
        await tab.close();
      });
      await Promise.all(tabs);
    }
    await expectFailure(page, "/deliveries?reason=timeout");
    await expect(page.getByRole("heading", { name: "Deliveries could not be read in time" })).toBeVisible();
    await expect(page.getByText("To find deliveries by Reason took too long")).toBeVisible();
  } finally {
    await client.query("rollback");
    await client.end();
  }
  await page.getByRole("button", { name: "Try again" }).click();
  await expect(page.getByRole("heading", { name: "No deliveries match" })).toBeVisible();
});
