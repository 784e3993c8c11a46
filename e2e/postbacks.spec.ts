import type { Page } from "@playwright/test";
import {
  expect,
  expectAccessible,
  expectAccessibleInBothThemes,
  find,
  open,
  reveal,
  test,
  type World,
} from "./support.ts";

const template = (page: Page) => page.getByRole("textbox", { name: "URL template" });
const preview = (page: Page) => page.getByRole("region", { name: "Preview" });
const submit = (page: Page) => page.getByRole("button", { name: "Create the endpoint" });

/** The form for a new postback of the test's affiliate. */
async function openPostbackForm(page: Page, world: World): Promise<void> {
  await open(page, `/endpoints/new?affiliate=${world.key}`);
  await page.getByRole("radio", { name: "Postback" }).check();
  await expect(template(page)).toBeVisible();
}

test("a pasted template is translated, tried on a real event, tested, subscribed and sent to the letter", async ({
  page,
  world,
}) => {
  test.slow();
  const path = world.path("p");
  world.receiver.script(path, { body: "OK" });
  await world.publish('{"click_id":"a&b 1","payout":10.50}');

  await openPostbackForm(page, world);
  await expect(page.getByRole("checkbox", { name: "conversion.approved" })).toBeChecked();
  await page.getByRole("checkbox", { name: "ftd", exact: true }).check();
  await expect(page.getByRole("radio", { name: /^Patient/ })).toBeChecked();
  await page.getByLabel("Name", { exact: true }).fill("Their tracker");
  await template(page).fill(`${world.receiver.url(path)}?cid=#s2#&click={{clickid}}&amp;payout=#price#`);
  await expect(preview(page)).toContainText("once the template has no faults");
  const findings = page.getByRole("group", { name: "Findings in URL template" });
  await expect(findings).toContainText(/#price#.*\{payout\}/);
  await findings.getByRole("button", { name: "Use the translation" }).click();
  const translated = `${world.receiver.url(path)}?cid={sub2}&click={click_id}&payout={payout}`;
  await expect(template(page)).toHaveValue(translated);
  await expect(template(page)).toBeFocused();

  await expect(preview(page).getByLabel("Rendered with")).toHaveValue(/^event /);
  const exact = preview(page).getByRole("group", { name: "Exact URL" });
  await expect(exact).toHaveText(`${world.receiver.url(path)}?cid=&click=••••&payout=••••`);
  const sign = page.getByRole("checkbox", { name: "Sign the URL" });
  await sign.check();
  await expect(preview(page)).toContainText("ends in sig=…");
  await reveal(page);
  await expect(exact).toHaveText(`${world.receiver.url(path)}?cid=&click=a%26b%201&payout=10.50`);
  await expect(preview(page)).toContainText("ends in sig=…");
  await sign.uncheck();
  await expect(preview(page)).not.toContainText("sig=");
  // The reason was a form of its own.
  await expect(page.getByLabel("Name", { exact: true })).toHaveValue("Their tracker");
  const rows = preview(page).getByRole("table").getByRole("row");
  await expect(rows.nth(1)).toContainText(/\{sub2\}.*none in this event/);
  await expect(rows.nth(2)).toContainText(/\{click_id\}.*a&b 1.*a%26b%201/);
  await exact.getByRole("button", { name: "{payout}: 10.50" }).focus();
  await expect(preview(page)).toContainText("of 8,192 bytes");

  await submit(page).click();
  await expect(page.getByRole("heading", { name: "Their tracker was created" })).toBeFocused();

  // A test right there: the request alone, then sent, with their answer in place.
  const result = page.getByRole("status", { name: "Result of the test" });
  await page.getByLabel("Event", { exact: true }).selectOption({ index: 1 });
  await page.getByRole("button", { name: "Show the request" }).click();
  const tested = `${path}?cid=&click=a%26b%201&payout=10.50`;
  await expect(result.getByRole("group", { name: "URL of the test" })).toHaveText(
    world.receiver.url(`${path}?cid=&click=••••&payout=••••`),
  );
  await expect(result).toContainText("Nothing was sent");
  expect(world.receiver.requests(path)).toEqual([]);
  await page.getByRole("button", { name: "Send it now" }).click();
  await expectAccessible(page);
  await page.getByRole("alertdialog").getByRole("button", { name: "Send it now" }).click();
  await expect(result).toContainText(/Would count as delivered.*200/);
  await expect(result.getByRole("group", { name: "Body of the answer" })).toHaveText("OK");
  expect(world.receiver.requests(path).map((sent) => sent.path)).toEqual([tested]);
  await expectAccessible(page);

  await page.getByRole("link", { name: "Open the endpoint" }).click();
  await expect(page.getByRole("heading", { level: 1, name: "Their tracker" })).toBeVisible();
  await expect(page.getByText(translated)).toBeVisible();

  const click = `c/2&${world.key}`;
  const given = `{"click_id":"${click}","payout":7.10,"sub2":"x"}`;
  await world.delivery(await world.publish(given, { type: "ftd" }), "delivered");
  const [, request] = await world.receiver.waitFor(path, 2);
  expect(request?.path).toBe(`${path}?cid=x&click=${encodeURIComponent(click)}&payout=7.10`);
  await find(page, click);
  await expect(page).toHaveURL(/\/deliveries\?q_hash=/);
  await expect(page.getByRole("row")).toHaveCount(2);
  await page
    .getByRole("row")
    .nth(1)
    .getByRole("link", { name: /^Delivery/ })
    .click();
  await reveal(page);
  const shown = page.getByRole("group", { name: "URL", exact: true });
  await expect(shown).toHaveText(world.receiver.url(request?.path ?? ""));

  await page.getByRole("button", { name: "Resend same URL" }).click();
  await world.receiver.waitFor(path, 3);
  await expect(page.getByText("Attempt 2", { exact: true })).toBeVisible();
  const render = page.getByRole("button", { name: "Render again" });
  await expect(render).not.toHaveAttribute("aria-disabled");
  await render.click();
  const requests = await world.receiver.waitFor(path, 4);
  expect(new Set(requests.slice(1).map((sent) => sent.path)).size).toBe(1);
  await expectAccessible(page);
});

test("a conversion without its click id is a skipped row that says why", async ({ page, world }) => {
  const endpoint = await world.createEndpoint({
    kind: "postback",
    name: "Needs a click",
    url: `${world.receiver.url(world.path("skip"))}?c={click_id}`,
    event_types: ["conversion.approved"],
  });
  await world.createEndpoint({
    name: "Only Sweden",
    url: world.receiver.url(world.path("se")),
    filters: [{ field: "country", is: "one_of", values: ["SE", "NO"] }],
  });
  const eventId = await world.publish('{"payout":"1.00","country":"DE"}');
  await world.delivery(eventId, "skipped");
  await open(page, "/overview");
  await find(page, eventId);
  await expect(page).toHaveURL(new RegExp(`/events/${eventId}$`));
  const recipient = (name: string) => page.getByRole("listitem").filter({ hasText: name });
  await expect(recipient("Needs a click")).toContainText(/has no click id.*Skipped/);
  await expect(recipient("Only Sweden")).toContainText("country is one of SE, NO");
  await expectAccessible(page);

  await recipient("Needs a click")
    .getByRole("link", { name: /^Delivery/ })
    .click();
  await expect(page.getByRole("button", { name: "Resend same URL" })).toHaveAttribute(
    "aria-disabled",
    "true",
  );
  await page.getByRole("button", { name: "Render again" }).click();
  await expect(page.getByText("It was not resent")).toBeVisible();
  await open(page, `/endpoints/${endpoint.id}`);
  await expect(page.getByText("Postback", { exact: true })).toBeVisible();
});

test("macros are completed by keyboard alone, and what is wrong has its remedy beside it", async ({
  page,
  world,
}) => {
  await openPostbackForm(page, world);
  await template(page).focus();
  await page.keyboard.type("https://t.example/p?c={cl");
  const list = page.getByRole("listbox", { name: "Macros" });
  await expect(list.getByRole("option").first()).toHaveText(
    /\{click_id\}.*The click that the visitor came with/,
  );
  await page.keyboard.press("Enter");
  await expect(template(page)).toHaveValue("https://t.example/p?c={click_id}");
  await expect(list).toHaveCount(0);

  await page.keyboard.type("&s={sub");
  await page.keyboard.press("ArrowDown");
  const second = list.getByRole("option").nth(1);
  await expect(second).toHaveAttribute("aria-selected", "true");
  await expect(template(page)).toHaveAttribute(
    "aria-activedescendant",
    (await second.getAttribute("id")) ?? "",
  );
  await page.keyboard.press("Enter");
  await page.keyboard.type("&x={pa");
  await page.keyboard.press("Escape");
  await expect(list).toHaveCount(0);
  await page.keyboard.type("yot}");
  await expect(template(page)).toHaveValue("https://t.example/p?c={click_id}&s={sub2}&x={payot}");
  await expect(template(page)).toHaveAccessibleDescription(/no field "payot"/);
  await page.getByRole("button", { name: "Use {payout}" }).press("Enter");
  await expect(template(page)).toHaveValue("https://t.example/p?c={click_id}&s={sub2}&x={payout}");
  // It was typed as far as the browser knows, and can be taken back so.
  await page.keyboard.press("ControlOrMeta+z");
  await expect(template(page)).toHaveValue(/\{payot\}$/);

  await page.getByRole("checkbox", { name: "conversion.declined" }).check();
  await page.getByRole("button", { name: "Add &status={status}" }).click();
  await expect(template(page)).toHaveValue(/&status=\{status\}$/);
});

test("a literal token becomes a secret of the endpoint, whose value is then hidden and kept", async ({
  page,
  world,
}) => {
  const path = world.path("secret");
  await openPostbackForm(page, world);
  await page.getByLabel("Name", { exact: true }).fill("With a token");
  await template(page).fill(`${world.receiver.url(path)}?c={click_id}&token=canary%20value`);
  await page.getByRole("button", { name: "Keep it as {secret.token}" }).click();
  await expect(template(page)).toHaveValue(/&token=\{secret\.token\}$/);
  await expect(page.getByLabel("Value of secret 1")).toHaveValue("canary value");
  await page.getByRole("button", { name: "Add a filter" }).click();
  await page.getByLabel("Field of filter 1").selectOption("payout");
  await page.getByLabel("Condition of filter 1").selectOption("is at least");
  await page.getByLabel("Value of filter 1").fill("ten");
  await submit(page).click();
  await expect(page.getByLabel("Value of filter 1")).toHaveAccessibleDescription(/must be a number/);
  await page.getByLabel("Value of filter 1").fill("10");
  await submit(page).click();
  await page.getByRole("link", { name: "Open the endpoint" }).click();
  await expect(page.getByText("payout is at least 10")).toBeVisible();

  await page.getByRole("link", { name: "Edit" }).click();
  await expect(page.getByLabel("Value of secret 1")).toHaveValue("");
  await expect(page.getByLabel("Value of secret 1")).toHaveAccessibleDescription(/Kept as it is/);
  await page.getByLabel("Method").selectOption("POST");
  await page.getByLabel("Body", { exact: true }).selectOption("JSON");
  const body = page.getByRole("textbox", { name: "Body template" });
  await body.fill('{"p":{payout},"c":"{click_id}"}');
  await expect(preview(page).getByRole("group", { name: "Exact body" })).toHaveText(
    '{"p":45.00,"c":"clk_7f3a9c21d4"}',
  );
  await page.getByRole("button", { name: "Save" }).click();
  await expect(page.getByText("Saved; the next event uses it.")).toBeVisible();
  await world.publish('{"click_id":"q","payout":"9.99"}');
  await world.publish('{"click_id":"q","payout":"10.00"}');
  const [request] = await world.receiver.waitFor(path, 1);
  expect(request).toMatchObject({ method: "POST", path: `${path}?c=q&token=canary%20value` });
  expect(request?.body.toString()).toBe('{"p":10.00,"c":"q"}');
  await expect(page.getByText("canary")).toHaveCount(0);
});

test("what waits keeps its URL after an edit until somebody renders it again", async ({ page, world }) => {
  const path = world.path("waits");
  const endpoint = await world.createEndpoint({
    kind: "postback",
    name: "Held for an edit",
    url: `${world.receiver.url(path)}?v=1&c={click_id}`,
    event_types: ["conversion.approved"],
  });
  await open(page, `/endpoints/${endpoint.id}`);
  await page.getByRole("button", { name: "Pause" }).click();
  await page.getByRole("alertdialog").getByRole("button", { name: "Pause" }).click();
  await expect(page.getByRole("alertdialog")).toHaveCount(0);
  await world.delivery(await world.publish('{"click_id":"q"}'), "pending");

  await page.getByRole("link", { name: "Edit", exact: true }).click();
  await template(page).fill(`${world.receiver.url(path)}?v=2&c={click_id}`);
  await page.getByRole("button", { name: "Save" }).click();
  await expect(page.getByText("What waits already can be rendered again")).toBeVisible();
  await page.getByRole("button", { name: "Render again what waits" }).click();
  const dialog = page.getByRole("alertdialog");
  await expect(dialog).toContainText("1 delivery");
  await dialog.getByRole("button", { name: "Render again" }).click();
  await expect(page.getByText("1 delivery rendered again.")).toBeVisible();
  await expect(dialog).toHaveCount(0);
  await page.getByRole("button", { name: "Resume" }).click();
  await dialog.getByRole("button", { name: "Resume" }).click();
  const [request] = await world.receiver.waitFor(path, 1);
  expect(request?.path).toBe(`${path}?v=2&c=q`);
});

test("axe finds nothing in the editor, in both themes", async ({ page, world }) => {
  test.slow();
  await openPostbackForm(page, world);
  for (const width of [1440, 390]) {
    await page.setViewportSize({ width, height: 900 });
    await page.getByLabel("Start from a preset").selectOption("Keitaro");
    await expect(preview(page).getByRole("table")).toBeVisible();
    await expectAccessibleInBothThemes(page);
    await template(page).fill("https://t.example/p?a={cid}&key=abcdef&b={sub1|a%20b}");
    await page.getByText("Macros for URL template").click();
    await expectAccessibleInBothThemes(page);
    await template(page).fill("https://t.example/p?a=#sub1#&b={{nothing}}");
    await expectAccessibleInBothThemes(page);
    await template(page).fill("https://t.example/p?a=");
    await template(page).press("End");
    await page.keyboard.type("{s");
    await expect(page.getByRole("listbox", { name: "Macros" })).toBeVisible();
    await expectAccessibleInBothThemes(page);
    const overflow = await page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth);
    expect(overflow).toBeLessThanOrEqual(0);
  }
});
