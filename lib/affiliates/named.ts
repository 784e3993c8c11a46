import type { Orm } from "#lib/db/database.ts";
import { invalidField } from "#lib/errors.ts";
import { lockAffiliate } from "./queries.ts";

/** The affiliate with this key, which stays until the transaction ends; 422 of the field `affiliate` where there is none. */
export async function namedAffiliate(
  orm: Orm,
  key: string,
): Promise<{ id: string; key: string; name: string }> {
  const affiliate = await lockAffiliate(orm, key, "share");
  if (!affiliate) throw invalidField("affiliate", "does not exist");
  return affiliate;
}
