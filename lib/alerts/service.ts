import type { Page } from "#lib/api/paging.ts";
import { type Actor, visibleTo } from "#lib/auth/actor.ts";
import { authorize } from "#lib/auth/permissions.ts";
import { appDatabase } from "#lib/db/app.ts";
import { existing } from "#lib/errors.ts";
import { selectAlert, selectAlerts } from "./queries.ts";
import type { Alert, AlertListQuery } from "./schema.ts";

/** One page of alerts, the open ones first, then the newest. */
export async function listAlerts(actor: Actor, query: AlertListQuery): Promise<Page<Alert>> {
  authorize(actor, "alert.read");
  return selectAlerts(appDatabase().orm, { ...query, scope: actor.affiliateId });
}

/** One alert; 404 when there is none. */
export async function getAlert(actor: Actor, id: string): Promise<Alert> {
  authorize(actor, "alert.read");
  return existing(visibleTo(actor, await selectAlert(appDatabase().orm, id)), "alert");
}
