import { createUser } from "#lib/accounts/create-user.ts";
import { systemActor } from "#lib/auth/actor.ts";
import { inTransaction } from "#lib/db/database.ts";
import { Problem } from "#lib/errors.ts";
import type { Role } from "#lib/vocabulary.ts";
import { demoPlayersAffiliates } from "./demo-world.ts";
import { withDatabase } from "./with-database.ts";

export type DemoUser = {
  role: Role;
  email: string;
  password: string;
};

export const demoAdmin = { role: "admin", email: "admin@demo.example" } as const;
export const demoAffiliateUser = {
  role: "affiliate",
  name: "Ada of an affiliate",
  email: "affiliate@demo.example",
} as const;
const others = [
  { role: "ops", name: "Olga of ops", email: "ops@demo.example" },
  { role: "support", name: "Sam of support", email: "support@demo.example" },
  demoAffiliateUser,
] as const;

/** One user for each role, where they are missing; the first affiliate of the demo has one. */
export async function ensureDemoUsers(databaseUrl: string, password: string): Promise<DemoUser[]> {
  return withDatabase(databaseUrl, async (database) => {
    const { rows } = await database.pool.query<{ id: string }>(
      "select id from posthorn.affiliates where key = $1 and deleted_at is null",
      [demoPlayersAffiliates[0]?.key],
    );
    for (const { role, name, email } of others) {
      const affiliateId = role === "affiliate" ? (rows[0]?.id ?? null) : null;
      if (role === "affiliate" && affiliateId === null) continue;
      await inTransaction(database, ({ orm }) =>
        createUser(orm, systemActor, { name, email, password, role, affiliateId }),
      ).catch(unlessTaken);
    }
    return [demoAdmin, ...others].map(({ role, email }) => ({ role, email, password }));
  });
}

function unlessTaken(error: unknown): void {
  if (!(error instanceof Problem && error.code === "already_exists")) throw error;
}
