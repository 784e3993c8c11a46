import { expect, expectAccessible, open, test } from "./support.ts";

test("an event type is added with its fields, edited and deprecated", async ({ page, world }) => {
  test.slow();
  const name = `made.${world.key.replaceAll("-", "_")}`;
  await world.createEndpoint({ name: "Everything", url: world.receiver.url(world.path("everything")) });
  await open(page, "/event-types");
  await page.getByRole("link", { name: "Add an event type" }).click();
  await page.getByLabel("Name").fill("Not A Name");
  const field = (title: string) => page.getByRole("group", { name: title, exact: true });
  const add = page.getByRole("button", { name: "Add a field" });
  await add.click();
  await field("field 1").getByLabel("Name").fill("amount");
  await field("amount").getByLabel("Kind").selectOption("Decimal number");
  await field("amount").getByLabel("Example").fill("1e3");
  await field("amount").getByLabel("Searchable").check();
  await add.click();
  await field("field 2").getByLabel("Name").fill("timestamp");
  await expectAccessible(page);

  // Each fault stands beside its field, and nothing was sent.
  const submit = page.getByRole("button", { name: "Add the event type" });
  await submit.click();
  await expect(page.getByLabel("Name").first()).toHaveAccessibleDescription(/lower-case words/);
  await expect(field("amount").getByLabel("Example")).toHaveAccessibleDescription(/must be a decimal number/);
  await expect(field("amount").getByLabel("Searchable")).toHaveAccessibleDescription(/needs text/);
  await expect(field("timestamp").getByLabel("Name")).toHaveAccessibleDescription(/a meaning of its own/);
  await expect(field("timestamp").getByLabel("Example")).toHaveAccessibleDescription(/This is needed\./);
  await expectAccessible(page);

  await page.getByLabel("Name").first().fill("ftd");
  await field("amount").getByLabel("Example").fill("12.50");
  await field("amount").getByLabel("Searchable").uncheck();
  await field("timestamp").getByLabel("Name").fill("order_id");
  await field("order_id").getByLabel("Example").fill("o-7");
  await field("order_id").getByLabel("Required").check();
  await field("order_id").getByLabel("Sensitive").check();
  // What only the server can know.
  await submit.click();
  await expect(page.getByLabel("Name").first()).toHaveAccessibleDescription(/is taken/);
  await page.getByLabel("Name").first().fill(name);
  await submit.click();

  await expect(page.getByRole("heading", { level: 1, name })).toBeVisible();
  const rows = page.getByRole("table", { name: `Fields of ${name}` }).getByRole("row");
  await expect(rows).toHaveCount(3);
  await expect(rows.nth(2)).toContainText(/order_id.*Text.*Required.*Sensitive.*o-7/);
  await expect(page.getByRole("group", { name: "Example data" })).toContainText('"amount": "12.50"');
  await expect(page.getByRole("table", { name: `Endpoints that get ${name}` })).toContainText("Everything");
  await expectAccessible(page);

  await page.getByRole("link", { name: "Edit" }).click();
  await expect(page.getByRole("button", { name: "Save" })).toHaveAccessibleDescription(
    "Nothing has been changed.",
  );
  // By keyboard, the button that moved it keeps the focus as long as it can be pressed.
  await page.getByRole("button", { name: "Move order_id up" }).press("Enter");
  await expect(page.getByRole("button", { name: "Move order_id down" })).toBeFocused();
  await page.getByRole("button", { name: "Remove amount" }).press("Enter");
  await expect(add).toBeFocused();
  await page.getByRole("radio", { name: "Accept it with a warning" }).check();
  await page.getByRole("button", { name: "Save" }).click();
  await expect(rows).toHaveCount(2);
  await expect(page.getByText("Accepted with a warning")).toBeVisible();

  // Old events' values would be seen: that is asked about, and not saved before the answer.
  await page.getByRole("link", { name: "Edit" }).click();
  await field("order_id").getByLabel("Sensitive").uncheck();
  await page.getByRole("button", { name: "Save" }).click();
  const question = page.getByRole("alertdialog", { name: "Stop masking order_id?" });
  await expect(question).toContainText("values of old events become visible at the console");
  await expectAccessible(page);
  await question.getByRole("button", { name: "Cancel" }).click();
  await field("order_id").getByLabel("Sensitive").check();
  await page.getByRole("button", { name: "Remove order_id" }).click();
  await page.getByRole("button", { name: "Save" }).click();
  await question.getByRole("button", { name: "Cancel" }).click();
  await expect(question).toBeHidden();
  page.once("dialog", (dialog) => dialog.accept());
  await page.getByRole("link", { name: "Cancel" }).click();
  await expect(rows.nth(1)).toContainText("Sensitive");
  await page.getByRole("link", { name: "Edit" }).click();
  await field("order_id").getByLabel("Sensitive").uncheck();
  await page.getByRole("button", { name: "Save" }).click();
  await question.getByRole("button", { name: "Save and stop masking" }).click();
  await expect(rows).toHaveCount(2);
  await expect(rows.nth(1)).not.toContainText("Sensitive");

  await page.getByRole("button", { name: "Deprecate" }).click();
  await expect(page.getByRole("alertdialog")).toContainText("still accepted and sent");
  await expectAccessible(page);
  await page.getByRole("alertdialog").getByRole("button", { name: "Deprecate" }).click();
  await expect(page.getByText("Deprecated", { exact: true }).first()).toBeVisible();
  await open(page, "/event-types");
  const row = page.getByRole("row").filter({ hasText: name });
  await expect(row).toContainText(/1 field.*Deprecated/);
  await row.getByRole("link", { name }).click();
  await page.getByRole("button", { name: "Take back into use" }).click();
  await page.getByRole("alertdialog").getByRole("button", { name: "Take back into use" }).click();
  await expect(page.getByText("Deprecated", { exact: true })).toHaveCount(0);
});

test("leaving the form with unsaved fields asks first", async ({ page }) => {
  await open(page, "/event-types/new");
  await page.getByRole("button", { name: "Add a field" }).click();
  let asked = 0;
  page.on("dialog", (dialog) => {
    asked += 1;
    return dialog.dismiss();
  });
  await page.getByRole("link", { name: "Cancel" }).click();
  await expect.poll(() => asked).toBe(1);
  await expect(page).toHaveURL(/\/event-types\/new$/);
});

test("a type that is not in the catalogue says so", async ({ page }) => {
  await open(page, "/event-types/nothing.such");
  await expect(page.getByRole("heading", { name: "The event type does not exist" })).toBeVisible();
});
