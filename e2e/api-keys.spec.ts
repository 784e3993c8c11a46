import { setTimeout as sleep } from "node:timers/promises";
import { expect, expectAccessible, open, test } from "./support.ts";

type Call = { beganMs: number; endedMs: number; status: number };

/** A client that has several requests under way all the time, until it is told to stop. */
function keepPublishing(publish: () => Promise<Response>) {
  const calls: Call[] = [];
  let isOver = false;
  const publishInTurn = async () => {
    while (!isOver) {
      const beganMs = performance.now();
      const response = await publish();
      await response.text();
      calls.push({ beganMs, endedMs: performance.now(), status: response.status });
      await sleep(10);
    }
  };
  const running = Promise.all(Array.from({ length: 6 }, publishInTurn));
  const stop = async () => {
    isOver = true;
    await running;
  };
  return { calls, stop };
}

for (const theme of ["light", "dark"] as const) {
  test(`a key to publish with is made, used and revoked: ${theme}`, async ({ page, world, baseURL }) => {
    await page.emulateMedia({ colorScheme: theme });
    const name = `Shop of ${world.key}`;
    await open(page, "/settings/api-keys");
    await page.getByRole("button", { name: "Create a key" }).click();
    const dialog = page.getByRole("dialog");
    await dialog.getByRole("button", { name: "Create the key" }).click();
    await expect(dialog.getByLabel("Name")).toHaveAccessibleDescription(/This is needed/);
    await expectAccessible(page);
    await dialog.getByLabel("Name").fill(name);
    await dialog.getByRole("radio", { name: "Publish" }).check();
    await dialog.getByLabel("Expires").selectOption("In 30 days");
    await dialog.getByRole("button", { name: "Create the key" }).click();
    await expect(dialog.getByRole("heading", { name: `${name} was created` })).toBeVisible();
    await expectAccessible(page);
    const key = (await dialog.locator("code").textContent()) ?? "";
    expect(key).toMatch(/^phk_/);
    await expect(dialog.getByRole("button", { name: "Copy API key" })).toBeVisible();
    await dialog.getByRole("button", { name: "I have copied it" }).click();
    await expect(dialog).toHaveCount(0);
    expect(await page.content()).not.toContain(key);

    const headers = { authorization: `Bearer ${key}`, "content-type": "application/json" };
    const event = JSON.stringify({ type: "ftd", affiliate: world.key, data: {} });
    const publish = () => fetch(`${baseURL}/api/v1/events`, { method: "POST", headers, body: event });
    expect((await publish()).status).toBe(202);
    const refused = await fetch(`${baseURL}/api/v1/events`, { headers });
    expect(refused.status).toBe(403);
    expect(await refused.json()).toMatchObject({ code: "forbidden" });

    const row = page.getByRole("row").filter({ hasText: name });
    await expect(row).toContainText("Publish");
    await expect(row).toContainText("Active");
    await row.getByRole("button", { name: `Revoke ${name}` }).click();
    const question = page.getByRole("alertdialog");
    await expect(question).toContainText("refused from its next request on");
    await expectAccessible(page);
    const client = keepPublishing(publish);
    await expect.poll(() => client.calls.length).toBeGreaterThan(20);
    const answered = page.waitForResponse((response) => response.request().method() === "DELETE");
    const askedMs = performance.now();
    await question.getByRole("button", { name: "Revoke the key" }).click();
    expect((await answered).status()).toBe(204);
    const revokedMs = performance.now();
    const after = () => client.calls.filter(({ beganMs }) => beganMs > revokedMs);
    await expect.poll(() => after().length).toBeGreaterThan(20);
    await client.stop();
    const statuses = (calls: Call[]) => [...new Set(calls.map(({ status }) => status))];
    expect(statuses(client.calls.filter(({ endedMs }) => endedMs < askedMs))).toEqual([202]);
    expect(statuses(after())).toEqual([401]);
    // Whatever was under way meanwhile, none was accepted that began once another had been refused.
    const refusedMs = Math.min(
      ...client.calls.filter(({ status }) => status === 401).map(({ endedMs }) => endedMs),
    );
    expect(statuses(client.calls.filter(({ beganMs }) => beganMs > refusedMs))).toEqual([401]);
    await expect(row).toContainText("Revoked");
  });
}

test("a key to read with is limited to one affiliate", async ({ page, world, baseURL }) => {
  const endpoint = await world.createEndpoint({
    name: "Theirs",
    url: world.receiver.url(world.path("theirs")),
  });
  await open(page, "/settings/api-keys");
  await page.getByRole("button", { name: "Create a key" }).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByLabel("Name").fill(`Partner ${world.key}`);
  await dialog.getByRole("radio", { name: "Read" }).check();
  await dialog.getByRole("checkbox", { name: "Only what belongs to one affiliate" }).check();
  await dialog.getByRole("button", { name: "Create the key" }).click();
  await expect(dialog.getByText("Choose the affiliate.")).toBeVisible();
  await dialog.getByRole("combobox", { name: "Affiliate" }).click();
  await page.getByRole("combobox", { name: "Search affiliate" }).fill(world.key);
  await page.getByRole("option", { name: world.name }).click();
  await dialog.getByRole("button", { name: "Create the key" }).click();
  const key = (await dialog.locator("code").textContent()) ?? "";
  const answer = await fetch(`${baseURL}/api/v1/endpoints`, { headers: { authorization: `Bearer ${key}` } });
  expect((await answer.json()).data.map(({ id }: { id: string }) => id)).toEqual([endpoint.id]);
  await dialog.getByRole("button", { name: "I have copied it" }).click();
  await page.getByLabel("Name or prefix").fill(`Partner ${world.key}`);
  await expect(page.getByRole("row").nth(1)).toContainText(`only of ${world.name}`);
  await page.getByLabel("Name or prefix").fill("nothing-is-called-so");
  await expect(page.getByRole("heading", { name: "No API keys match" })).toBeVisible();
});
