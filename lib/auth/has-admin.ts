import { appDatabase } from "#lib/db/app.ts";
import type { Queryable } from "#lib/db/database.ts";

/** Whether somebody can sign in as an admin. */
export async function selectHasAdmin(db: Queryable): Promise<boolean> {
  const { rows } = await db.query(
    "select from posthorn.users where role = 'admin' and deactivated_at is null limit 1",
  );
  return rows.length > 0;
}

let known = false;

/** The same in the web process, which remembers a yes: the last admin can neither go nor be deactivated. */
export async function hasAdmin(): Promise<boolean> {
  known ||= await selectHasAdmin(appDatabase().pool);
  return known;
}
