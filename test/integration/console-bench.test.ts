import path from "node:path";
import { beforeAll, expect, test } from "vitest";
import { deliveryStates } from "#lib/vocabulary.ts";
import { consoleCalls, findKnown, type Known } from "#test/bench/console/calls.ts";
import { type Ask, measureCall } from "#test/bench/console/measure.ts";
import { readScans } from "#test/bench/console/scans.ts";
import { seedConsole } from "#test/bench/console/seed.ts";
import { setUpApi } from "#test/helpers/api.ts";
import { routesOf } from "../../e2e/web-routes.ts";

// What `npm run bench:console` does, on a database that is made in seconds and without a look at the clock.
const api = setUpApi();
const sizes = {
  deliveries: 2_000,
  endpoints: 60,
  affiliates: 10,
  largest: 20,
  deadLetters: 100,
  auditEntries: 500,
  days: 3,
  latencyDays: 1,
};
let known: Known;
beforeAll(async () => {
  await seedConsole({ pool: api.database.pool, sizes, log: () => undefined });
  known = await findKnown(api.database.pool, sizes);
});

/** Routes of the console, those without a dynamic part first, each as the pattern of its paths. */
const routes = routesOf("route.ts")
  .filter((route) => route.startsWith("/api/console/"))
  .sort((a, b) => a.split("[").length - b.split("[").length)
  .map((route) => ({ route, pattern: new RegExp(`^${route.replace(/\[(\w+)\]/g, "(?<$1>[^/]+)")}$`) }));
const called = new Set<string>();

const ask: Ask = async ({ path: asked, body }) => {
  const url = new URL(asked, "http://localhost");
  const found = routes.find(({ pattern }) => pattern.test(url.pathname));
  if (!found) throw new Error(`there is no route ${url.pathname}`);
  called.add(found.route);
  const handlers = await import(path.resolve(`app${found.route}/route.ts`));
  const answer = await api.call(body === undefined ? handlers.GET : handlers.POST, {
    params: { ...found.pattern.exec(url.pathname)?.groups },
    query: Object.fromEntries(url.searchParams),
    ...(body === undefined ? {} : { body }),
  });
  return { status: answer.status, text: JSON.stringify(answer.body) };
};

/** An affiliate's own, and the way to an identity provider. */
const notForStaff = ["notices", "notices/settings", "sign-in/oidc"].map((path) => `/api/console/${path}`);

test("every call of the bench is answered, and they are all that the console reads", async () => {
  const rows = new Map<string, number | null>();
  for (const call of consoleCalls(known)) {
    const measured = await measureCall(ask, call, { runs: 1, warmUps: 0 });
    expect([...rows.keys()]).not.toContain(call.name);
    rows.set(call.name, measured.rows);
  }
  for (const state of deliveryStates)
    expect([state, rows.get(`deliveries: state ${state}`)]).not.toEqual([state, 0]);
  expect(rows.get("deliveries: searchable value of one event")).toBe(2);
  const missed = [];
  for (const { route } of routes) {
    const { GET } = await import(path.resolve(`app${route}/route.ts`));
    // Exports are streamed for minutes, and are no page.
    if (GET && !called.has(route) && !route.endsWith(".csv") && !notForStaff.includes(route))
      missed.push(route);
  }
  expect(missed).toEqual([]);
}, 120_000);

test("the growing tables are those of the database", async () => {
  for (const [table, { rows }] of Object.entries(await readScans(api.database.pool))) {
    expect([table, rows]).toEqual([table, expect.any(Number)]);
    expect(rows).not.toBeNaN();
  }
});
