import { lockAffiliate } from "#lib/affiliates/queries.ts";
import { recordAudit } from "#lib/audit/record.ts";
import { authorize } from "#lib/auth/permissions.ts";
import type { SessionActor } from "#lib/auth/session.ts";
import { appDatabase } from "#lib/db/app.ts";
import { inTransaction } from "#lib/db/database.ts";
import { existing } from "#lib/errors.ts";
import { endView, startView } from "./queries.ts";
import type { ViewAs } from "./schema.ts";

const viewMinutes = 60;

/**
 * From now on the session sees the portal as this affiliate's users do, except that values stay masked and nothing can
 * be changed. It ends when it is stopped, with the session, when the affiliate is deleted, or after 60 minutes. 404 when
 * there is no such affiliate.
 */
export async function viewAsAffiliate(actor: SessionActor, { affiliate: key }: ViewAs): Promise<void> {
  authorize(actor, "affiliate.view_as");
  await inTransaction(appDatabase(), async ({ client, orm }) => {
    const affiliate = existing(await lockAffiliate(orm, key, "share"), "affiliate");
    const { sessionId } = actor;
    const endsAt = await startView(client, { sessionId, affiliateId: affiliate.id, minutes: viewMinutes });
    await recordAudit(orm, actor, {
      action: "affiliate.view_as",
      objectKind: "affiliate",
      objectId: affiliate.id,
      affiliateId: affiliate.id,
      after: { until: existing(endsAt, "session").toISOString() },
    });
  });
}

/** Ends the view; nothing happens where there is none. */
export async function stopViewing(actor: SessionActor): Promise<void> {
  await endView(appDatabase().pool, actor);
}
