import { recordAudit } from "#lib/audit/record.ts";
import { systemActor } from "#lib/auth/actor.ts";
import { selectHasAdmin } from "#lib/auth/has-admin.ts";
import { hashLinkToken, makeLinkToken } from "#lib/auth/link-token.ts";
import { type Database, inTransaction } from "#lib/db/database.ts";
import { createUser } from "./create-user.ts";
import { replaceSetupLink } from "./queries.ts";

export const setupLinkHours = 24;

/**
 * Makes sure that there is an admin or a way to become it. Where there is none, makes the one that is given, or else a
 * new set-up link, in place of every earlier one: its token is returned this once. Null where there is an admin now.
 */
export async function ensureFirstAdmin(
  database: Database,
  { firstAdmin }: { firstAdmin: { email: string; password: string } | undefined },
): Promise<{ setupToken: string } | null> {
  return inTransaction(database, async ({ client, orm }) => {
    // Processes that start at once, and whoever uses a link meanwhile, come one after another.
    await lockFirstAdmin(client);
    if (await selectHasAdmin(client)) return null;
    if (firstAdmin) {
      await createUser(orm, systemActor, { ...firstAdmin, name: "Admin", role: "admin", affiliateId: null });
      return null;
    }
    const setupToken = makeLinkToken();
    const tokenHash = hashLinkToken(setupToken);
    await replaceSetupLink(orm, { tokenHash, validHours: setupLinkHours });
    await recordAudit(orm, systemActor, {
      action: "setup_link.create",
      objectKind: "setup_link",
      objectId: tokenHash.toString("hex").slice(0, 16),
      after: { valid_hours: setupLinkHours },
    });
    return { setupToken };
  });
}

/** Held until the transaction ends by whoever decides whether there is an admin. */
export async function lockFirstAdmin(client: { query: (text: string) => Promise<unknown> }): Promise<void> {
  await client.query("select pg_advisory_xact_lock(hashtextextended('posthorn.first_admin', 0))");
}
