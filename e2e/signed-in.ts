import { randomBytes } from "node:crypto";
import { readFile } from "node:fs/promises";
import type { Browser, BrowserContext } from "@playwright/test";
import { createUser } from "#lib/accounts/create-user.ts";
import { systemActor } from "#lib/auth/actor.ts";
import { inTransaction } from "#lib/db/database.ts";
import type { Role } from "#lib/vocabulary.ts";
import { withDatabase } from "#scripts/with-database.ts";
import type { Reader } from "./web-routes.ts";

/** The cookies of the first admin, for every test that does not say otherwise. */
export const adminStateFile = "test-results/e2e-admin.json";
export const firstAdmin = { name: "First Admin", email: "first.admin@posthorn.example" };

/** What the system under test has written about itself (scripts/e2e-system.ts). */
export async function systemFacts(): Promise<{ setupUrl: string | null; databaseUrl: string }> {
  return JSON.parse(await readFile("test-results/e2e-system.json", "utf8"));
}

/** Of every user that tests make. */
export function e2ePassword(): string {
  return process.env.POSTHORN_E2E_PASSWORD ?? "";
}

/** A user of a test's own, whom nobody has signed in yet. `affiliate`: the key of theirs. */
export async function makeUser(role: Role, affiliate?: string): Promise<{ name: string; email: string }> {
  const { databaseUrl } = await systemFacts();
  const id = randomBytes(4).toString("hex");
  const user = { name: `${role} ${id}`, email: `${role}-${id}@posthorn.example` };
  await withDatabase(databaseUrl, async (database) => {
    const { rows } = await database.pool.query<{ id: string }>(
      "select id from posthorn.affiliates where key = $1",
      [affiliate ?? null],
    );
    await inTransaction(database, ({ orm }) =>
      createUser(orm, systemActor, {
        ...user,
        password: e2ePassword(),
        role,
        affiliateId: rows[0]?.id ?? null,
      }),
    );
  });
  return user;
}

/** A browser of its own for one of those whom pages are for: the first admin, a user of the affiliate, or nobody. */
export async function browserOf(
  browser: Browser,
  { reader, affiliate, baseURL }: { reader: Reader; affiliate: string; baseURL: string | undefined },
): Promise<BrowserContext> {
  if (reader === "affiliate") return signedIn(browser, { role: "affiliate", affiliate, baseURL });
  return browser.newContext({
    ...(baseURL === undefined ? {} : { baseURL }),
    storageState: reader === "staff" ? adminStateFile : { cookies: [], origins: [] },
  });
}

/** A browser of its own in which a new user with this role is signed in. */
export async function signedIn(
  browser: Browser,
  { role, affiliate, baseURL }: { role: Role; affiliate?: string; baseURL: string | undefined },
): Promise<BrowserContext> {
  const { email } = await makeUser(role, affiliate);
  const context = await browser.newContext({
    ...(baseURL === undefined ? {} : { baseURL }),
    storageState: { cookies: [], origins: [] },
  });
  const answer = await context.request.post("/api/console/sign-in", {
    data: { email, password: e2ePassword() },
  });
  if (!answer.ok()) throw new Error(`the ${role} could not be signed in: ${await answer.text()}`);
  return context;
}
