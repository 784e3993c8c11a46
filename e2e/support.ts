import { randomBytes } from "node:crypto";
import AxeBuilder from "@axe-core/playwright";
import {
  type APIRequestContext,
  type BrowserContext,
  test as base,
  expect,
  type Page,
} from "@playwright/test";
import type { Delivery } from "#lib/deliveries/schema.ts";
import type { EndpointCreated } from "#lib/endpoints/schema.ts";
import { type Receiver, startReceiver } from "#test/helpers/receiver.ts";

export { expect } from "@playwright/test";

/** An affiliate of a test's own, and what a test does to it from outside the browser. */
export type World = {
  /** Of the affiliate. */
  key: string;
  name: string;
  receiver: Receiver;
  /** A path of the receiver that no other test uses. */
  path: (name: string) => string;
  createEndpoint: (given: {
    name: string;
    url: string;
    [setting: string]: unknown;
  }) => Promise<EndpointCreated>;
  /** Of `eventType` and without an ordering key, unless said otherwise; returns its id. */
  publish: (data: string, given?: { type?: string; orderingKey?: string }) => Promise<string>;
  /** The delivery of an event, once it stands in one of the states. */
  delivery: (eventId: string, ...states: Delivery["state"][]) => Promise<Delivery>;
};

export const eventType = "conversion.approved";

export const test = base.extend<{ world: World; faults: undefined }>({
  // Another zone and language than the server's: the first render in the browser must still agree with it.
  timezoneId: "America/New_York",
  locale: "de-DE",
  // A page that fails, or does what its policy blocks, ends its test, in whosever browser it is open.
  faults: [
    async ({ browser }, use) => {
      const faults: string[] = [];
      const watchAll = (context: BrowserContext) => watchFaults(context, faults);
      browser.on("context", watchAll);
      await use(undefined);
      browser.off("context", watchAll);
      expect(faults).toEqual([]);
    },
    { auto: true },
  ],
  world: async ({ request }, use, testInfo) => {
    const receiver = await startReceiver();
    const key = `e2e-${testInfo.testId.slice(0, 8)}-${randomBytes(4).toString("hex")}`;
    const name = `Affiliate ${key}`;
    const call = caller(request);
    await call("affiliates", { key, name });
    await use({
      key,
      name,
      receiver,
      path: (suffix) => `/${key}/${suffix}`,
      createEndpoint: (given) => call("endpoints", { affiliate: key, ...given }),
      publish: async (data, { type = eventType, orderingKey } = {}) => {
        const order = orderingKey === undefined ? "" : `"ordering_key":${JSON.stringify(orderingKey)},`;
        const body = `{"type":"${type}","affiliate":"${key}",${order}"data":${data}}`;
        return (await call<{ id: string }>("events", body)).id;
      },
      delivery: async (eventId, ...states) => {
        let found: Delivery | undefined;
        await expect(async () => {
          const { data } = await call<{ data: Delivery[] }>(`deliveries?event=${eventId}`);
          found = data[0];
          expect(states).toContain(found?.state);
        }).toPass();
        return found as Delivery;
      },
    });
    await receiver.close();
  },
});

/** Collects what fails in its pages, and what their policy blocks. */
function watchFaults(context: BrowserContext, faults: string[]): void {
  context.on("weberror", (webError) => faults.push(webError.error().message));
  context.on("console", (message) => {
    if (message.type() === "error" && !message.text().startsWith("Failed to load resource"))
      faults.push(message.text());
  });
  // Not everything that the policy blocks is also a line on the console.
  void context.addInitScript(() => {
    document.addEventListener("securitypolicyviolation", ({ effectiveDirective, blockedURI, sourceFile }) => {
      console.error(`blocked by ${effectiveDirective}: ${blockedURI} of ${sourceFile}`);
    });
  });
}

/** Calls the public API with the key that the system under test was started with. */
function caller(request: APIRequestContext) {
  const headers = {
    authorization: `Bearer ${process.env.POSTHORN_E2E_API_KEY}`,
    "content-type": "application/json",
  };
  return async <T>(path: string, body?: unknown): Promise<T> => {
    const url = `/api/v1/${path}`;
    const data = typeof body === "string" ? body : JSON.stringify(body);
    const response =
      body === undefined ? await request.get(url, { headers }) : await request.post(url, { headers, data });
    expect(response.ok(), `${url}: ${await response.text()}`).toBe(true);
    return response.json();
  };
}

/** No finding of axe on what the page shows now. */
export async function expectAccessible(page: Page): Promise<void> {
  await expectNoFinding(page, {});
}

/** The same but for colours, for a page whose colours are looked at in another width. */
export async function expectAccessibleButForColours(page: Page): Promise<void> {
  await expectNoFinding(page, { rules: { "color-contrast": { enabled: false } } });
}

/** The same in both themes. What differs between them is colours, so the dark one is asked for these alone. */
export async function expectAccessibleInBothThemes(page: Page): Promise<void> {
  await expectNoFinding(page, {});
  await page.emulateMedia({ colorScheme: "dark" });
  await expect(page.locator("html")).toHaveAttribute("data-theme", "dark");
  await expectNoFinding(page, { runOnly: ["color-contrast"] });
  await page.emulateMedia({ colorScheme: "light" });
  await expect(page.locator("html")).toHaveAttribute("data-theme", "light");
}

async function expectNoFinding(page: Page, options: Parameters<AxeBuilder["options"]>[0]): Promise<void> {
  // No page has frames of others, for whose sake each look would open one more page.
  const axe = new AxeBuilder({ page }).setLegacyMode().options({ ...options, resultTypes: ["violations"] });
  const { violations } = await axe.analyze();
  expect(violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join("\n")}`)).toEqual([]);
}

/** The page has been hydrated, so that its controls answer. */
export async function open(page: Page, path: string): Promise<void> {
  await page.goto(path);
  await expect(
    page
      .getByRole("button", { name: "Local", pressed: true })
      .or(page.getByRole("button", { name: "Menu" }))
      .first(),
  ).toBeVisible();
}

/** Types an id or a value into the console's find box, on whatever page it is. */
export async function find(page: Page, text: string): Promise<void> {
  const box = page.getByRole("textbox", { name: "Find by id or value" });
  await box.fill(text);
  await box.press("Enter");
}

/** Shows what is masked on a page, with a reason. */
export async function reveal(page: Page): Promise<void> {
  await page.getByRole("button", { name: "Reveal" }).click();
  const dialog = page.getByRole("dialog", { name: "Reveal the sensitive values" });
  await dialog.getByRole("textbox", { name: "Reason" }).fill("a look");
  await dialog.getByRole("textbox", { name: "Reason" }).press("Enter");
  await expect(page.getByRole("button", { name: "Hide" })).toBeVisible();
}
