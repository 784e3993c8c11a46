import { readFile } from "node:fs/promises";
import type { EndpointCreated } from "#lib/endpoints/schema.ts";
import { withDatabase } from "#scripts/with-database.ts";
import { makeDeadLetters } from "#test/helpers/dead-letters.ts";
import { signedIn, systemFacts } from "./signed-in.ts";
import { eventType, expect, expectAccessible, open, test, type World } from "./support.ts";

/** A worker looks every 30 s, and the page some seconds later. */
const lookMs = 60_000;

/** Five deliveries that their server refuses for its credentials; no more is needed for a finding. */
async function refuseAll(world: World) {
  const path = world.path("locked");
  world.receiver.script(path, { status: 401, body: "invalid token" });
  const endpoint = await world.createEndpoint({ name: `Locked ${world.key}`, url: world.receiver.url(path) });
  for (let n = 0; n < 5; n += 1) {
    const event = await world.publish(`{"n":${n}}`);
    await world.delivery(event, "dead_letter");
  }
  return endpoint;
}

test("ops reads that credentials changed, rotates them, requeues the group, and sees the finding end", async ({
  browser,
  baseURL,
  world,
}) => {
  test.setTimeout(180_000);
  const endpoint = await refuseAll(world);
  const context = await signedIn(browser, { role: "ops", baseURL });
  const page = await context.newPage();
  await open(page, "/");
  await expect(page).toHaveURL(/\/dead-letters$/);
  await expect(page.getByRole("heading", { level: 1, name: "Dead letters" })).toBeVisible();
  await open(page, `/dead-letters?affiliate=${world.key}`);
  const finding = page.getByRole("article", { name: "Credentials changed" });
  await expect(finding).toBeVisible({ timeout: lookMs });
  await expect(finding).toContainText("Their server refuses our credentials: 5 deliveries were given up");
  await expect(page.getByText(/^Looked at/)).toBeVisible();
  await expectAccessible(page);

  await finding.getByRole("link", { name: /Update the credentials/ }).click();
  await expect(page).toHaveURL(new RegExp(`/endpoints/${endpoint.id}$`));
  await page.getByRole("button", { name: "Rotate" }).click();
  await page.getByRole("alertdialog").getByRole("button", { name: "Rotate" }).click();
  const secret = page.getByText(/^whsec_/);
  await expect(secret).toBeVisible();
  expect(await secret.textContent()).not.toBe(endpoint.secret);
  const path = world.path("locked");
  world.receiver.script(path, { status: 200 });

  await open(page, `/dead-letters?affiliate=${world.key}`);
  await page
    .getByRole("table", { name: /^Dead letters by cause/ })
    .getByRole("button", { name: /^Requeue the group: 401/ })
    .click();
  const dialog = page.getByRole("dialog", { name: `Requeue dead letters of ${endpoint.name}?` });
  await expect(dialog.getByText("5 deliveries of one endpoint will be put back to be sent.")).toBeVisible();
  await expectAccessible(page);
  await dialog.getByLabel("Reason").fill("They have our new secret");
  await dialog.getByRole("button", { name: "Requeue 5" }).click();
  await page.getByRole("link", { name: "Watch it" }).click();
  await expect(page.getByText("Completed").first()).toBeVisible();
  await expect(page.getByRole("progressbar")).toHaveAttribute("aria-valuetext", "5 of 5");
  await expect.poll(() => world.receiver.requests(path).length).toBe(10);
  // Each of those that were put back is found from there, by what became of it.
  await page.getByRole("link", { name: "was delivered" }).click();
  await expect(page).toHaveURL(/\/deliveries\?requeue=.+&state=delivered$/);
  await expect(page.getByRole("row")).toHaveCount(6);

  await open(page, `/dead-letters?affiliate=${world.key}`);
  await expect(page.getByRole("heading", { name: "No dead letters match" })).toBeVisible();
  await expect(page.getByText("Nothing that dead letters have in common")).toBeVisible({ timeout: lookMs });
  await expect(finding).toHaveCount(0);
  await open(page, `/alerts?affiliate=${world.key}`);
  const rows = page.getByRole("table", { name: /^Alerts/ }).getByRole("row");
  await expect(rows).toHaveCount(2);
  await expect(rows.nth(1)).toContainText(/Credentials changed.*Ended/);
  await context.close();
});

test("support sees the same, and why the buttons for many are not theirs", async ({
  browser,
  baseURL,
  world,
}) => {
  test.slow();
  await refuseAll(world);
  const context = await signedIn(browser, { role: "support", baseURL });
  const page = await context.newPage();
  await open(page, "/");
  await expect(page).toHaveURL(/\/endpoints\?view=failing$/);
  await open(page, `/dead-letters?affiliate=${world.key}`);
  const finding = page.getByRole("article", { name: "Credentials changed" });
  await expect(finding).toBeVisible({ timeout: lookMs });
  await page
    .getByRole("table", { name: "Dead letters, given up latest first" })
    .getByRole("checkbox")
    .first()
    .check();
  const buttons = [
    finding.getByRole("button", { name: "Requeue these" }),
    page.getByRole("button", { name: /^Requeue the group/ }),
    page.getByRole("button", { name: "Requeue all 5 matching" }),
    page.getByRole("button", { name: "Discard all 5 matching" }),
    page.getByRole("button", { name: "Requeue", exact: true }),
    page.getByRole("button", { name: "Discard", exact: true }),
  ];
  for (const button of buttons) {
    await expect(button).toHaveAttribute("aria-disabled", "true");
    await expect(button).toHaveAccessibleDescription(/needs the role ops or admin; yours is support/);
    await button.click({ force: true });
  }
  await expect(page.getByRole("dialog")).toHaveCount(0);
  await expectAccessible(page);
  await context.close();
});

test("rows are narrowed, exported, put back by selection and discarded all at once", async ({
  page,
  world,
}) => {
  test.slow();
  await refuseAll(world);
  await open(page, `/dead-letters?affiliate=${world.key}`);
  const groups = page.getByRole("table", { name: /^Dead letters by cause/ }).getByRole("row");
  await expect(groups).toHaveCount(2);
  await groups.nth(1).getByRole("link").click();
  await expect(page).toHaveURL(/reason=unauthorized&status=401/);
  const rows = page.getByRole("table", { name: "Dead letters, given up latest first" }).getByRole("row");
  await expect(rows).toHaveCount(6);
  const [download] = await Promise.all([
    page.waitForEvent("download"),
    page.getByRole("link", { name: "Export as CSV" }).click(),
  ]);
  expect((await readFile(await download.path(), "utf8")).trimEnd().split("\r\n")).toHaveLength(6);

  world.receiver.script(world.path("locked"), { status: 200 });
  await rows.nth(1).getByRole("checkbox").check();
  await rows
    .nth(3)
    .getByRole("checkbox")
    .click({ modifiers: ["Shift"] });
  await expect(page.getByText("3 selected")).toBeVisible();
  await expectAccessible(page);
  await page.getByRole("button", { name: "Requeue", exact: true }).click();
  const dialog = page.getByRole("dialog", { name: "Requeue 3 dead letters?" });
  await expect(dialog.getByText("3 deliveries of one endpoint will be put back to be sent.")).toBeVisible();
  await dialog.getByLabel("Reason").fill("They answer again");
  await dialog.getByRole("button", { name: "Requeue 3" }).click();
  await expect(page.getByText("3 deliveries are being put back.")).toBeVisible();
  await expect(page.getByText("3 selected")).toHaveCount(0);
  await expect(rows).toHaveCount(3);

  // Of the rest everything that the filters leave, on whatever page it would stand.
  await expect(page.getByRole("button", { name: "Requeue all 2 matching" })).toBeVisible({ timeout: 45_000 });
  await page.getByRole("button", { name: "Discard all 2 matching" }).click();
  const discard = page.getByRole("dialog", { name: "Discard all dead letters that match?" });
  await expect(discard.getByText("2 deliveries of one endpoint will be discarded for good.")).toBeVisible();
  await expectAccessible(page);
  await discard.getByLabel("Reason").fill("Too late for them");
  await discard.getByRole("button", { name: "Discard 2" }).click();
  await expect(page.getByText("2 deliveries are being discarded.")).toBeVisible();
  await expect(page.getByRole("heading", { name: "No dead letters match" })).toBeVisible();
  await page.getByRole("combobox", { name: "Reason" }).click();
  await page.getByRole("option", { name: "Their certificate is not valid" }).click();
  await expect(page.getByRole("heading", { name: "No dead letters match" })).toBeVisible();
});

/** Dead letters of some days, and what their endpoints took: straight into the tables, since nobody can wait for them. */
async function writePast(endpoints: {
  limited: EndpointCreated;
  slow: EndpointCreated;
  refusing: EndpointCreated;
}) {
  const { limited, slow, refusing } = endpoints;
  const of = ({ id, affiliate }: EndpointCreated) => ({
    endpoint: { id, affiliateId: affiliate.id },
    type: eventType,
  });
  await withDatabase((await systemFacts()).databaseUrl, async ({ pool }) => {
    await pool.query(
      `insert into posthorn.endpoint_latency (resolution, bucket_at, endpoint_id, worker_id, attempts, delivered, buckets, counts)
       select 'hour', date_trunc('hour', now(), 'UTC') - ago * interval '1 hour', id, 0, n, n, '{1}', array[n]
       from (values ($1::uuid, 900), ($2, 100)) as e (id, n), generate_series(1, 24) ago`,
      [limited.id, slow.id],
    );
    await pool.query(
      `insert into posthorn.endpoint_percentiles (endpoint_id, refreshed_at, samples, p95_ms) values ($1, now(), 2400, 400)
       on conflict (endpoint_id) do update set refreshed_at = now(), samples = 2400, p95_ms = 400`,
      [slow.id],
    );
    const hoursAgo = "now() - n * interval '6 hours'";
    await makeDeadLetters(pool, {
      ...of(slow),
      count: 24,
      reason: "timeout",
      status: null,
      diedAt: hoursAgo,
    });
    await makeDeadLetters(pool, { ...of(limited), count: 6, reason: "rate_limited", status: 429 });
    await makeDeadLetters(pool, {
      ...of(refusing),
      count: 5,
      reason: "payload_refused",
      status: 422,
      attempts: 1,
    });
  });
}

test("what a finding suggests is set where it stands, and its advice follows", async ({ page, world }) => {
  test.setTimeout(180_000);
  const make = (name: string) =>
    world.createEndpoint({ name: `${name} ${world.key}`, url: world.receiver.url(world.path(name)) });
  const limited = await make("limited");
  const slow = await make("slow");
  await writePast({ limited, slow, refusing: await make("refusing") });
  await open(page, `/dead-letters?affiliate=${world.key}`);
  const tooFast = page.getByRole("article", { name: "Sent too fast" });
  const accumulating = page.getByRole("article", { name: "Slow accumulation" });
  await expect(tooFast).toBeVisible({ timeout: lookMs });

  const apply = async (finding: typeof tooFast, label: string, now: string | RegExp) => {
    await finding.getByRole("button", { name: label }).click();
    const dialog = page.getByRole("alertdialog", { name: `${label}?` });
    await expect(dialog.getByRole("definition").first()).toHaveText(now);
    await dialog.getByRole("button", { name: label }).click();
    await expect(dialog).toHaveCount(0);
  };
  await apply(tooFast, "Limit to 12 per minute", "No limit");
  await apply(accumulating, "Time out after 2 s", "15 s");
  await apply(accumulating, "Try 10 times", /^Tries up to 5 times/);

  await page
    .getByRole("article", { name: "Payload refused" })
    .getByRole("button", { name: "Requeue these" })
    .click();
  const dialog = page.getByRole("dialog", { name: /^Requeue dead letters of refusing/ });
  await expect(dialog.getByRole("radio", { name: "Rendered again" })).toBeChecked();
  await dialog.getByRole("button", { name: "Cancel" }).click();

  await expect(tooFast).toContainText("Put these back: they go out within the limit.", { timeout: lookMs });
  await expect(tooFast.getByRole("button", { name: /^Limit to/ })).toHaveCount(0);
  await expect(accumulating).toContainText("attempts now: put these back.");
  await expect(accumulating.getByRole("button", { name: /^T(ry|ime out)/ })).toHaveCount(0);
  await tooFast.getByRole("link", { name: /^Set the rate limit/ }).click();
  await expect(page).toHaveURL(new RegExp(`/endpoints/${limited.id}/edit#advanced$`));
  await expect(page.getByRole("spinbutton", { name: "Requests", exact: true })).toHaveValue("12");
});
