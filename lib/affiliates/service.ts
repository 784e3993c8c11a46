import { v7 as uuidV7 } from "uuid";
import { isUniqueViolation } from "#lib/api/database-errors.ts";
import type { Page } from "#lib/api/paging.ts";
import { markApiKeysOfAffiliateRevoked } from "#lib/api-keys/queries.ts";
import { recordRevocation } from "#lib/api-keys/service.ts";
import { changedFields, recordAudit } from "#lib/audit/record.ts";
import { type Actor, visibleTo } from "#lib/auth/actor.ts";
import { authorize } from "#lib/auth/permissions.ts";
import { appDatabase } from "#lib/db/app.ts";
import { inTransaction } from "#lib/db/database.ts";
import { notFound, Problem } from "#lib/errors.ts";
import {
  hasEndpoints,
  insertAffiliate,
  lockAffiliate,
  markAffiliateDeleted,
  selectActivity,
  selectAffiliate,
  selectAffiliates,
  updateAffiliate,
} from "./queries.ts";
import type { Affiliate, AffiliateCreate, AffiliateEdit, AffiliateListQuery } from "./schema.ts";

/** One page of affiliates, newest first; with what goes on at each where asked for. */
export async function listAffiliates(actor: Actor, query: AffiliateListQuery): Promise<Page<Affiliate>> {
  authorize(actor, "affiliate.read");
  const page = await selectAffiliates(appDatabase().orm, { ...query, scope: actor.affiliateId });
  return query.activity ? { ...page, data: await withActivity(page.data) } : page;
}

/** The affiliate with this key, and what goes on there; 404 when there is none. */
export async function getAffiliate(actor: Actor, key: string): Promise<Affiliate> {
  authorize(actor, "affiliate.read");
  const affiliate = existing(await selectAffiliate(appDatabase().orm, key));
  existing(visibleTo(actor, { affiliate }));
  const [full] = await withActivity([affiliate]);
  return full ?? affiliate;
}

async function withActivity(affiliates: Affiliate[]): Promise<Affiliate[]> {
  const activities = await selectActivity(
    appDatabase().orm,
    affiliates.map(({ id }) => id),
  );
  return affiliates.map((affiliate) => {
    const activity = activities.get(affiliate.id);
    return activity ? { ...affiliate, activity } : affiliate;
  });
}

/** 409 when the key is taken. */
export async function createAffiliate(actor: Actor, input: AffiliateCreate): Promise<Affiliate> {
  authorize(actor, "affiliate.create");
  return refusingTakenKey(() =>
    inTransaction(appDatabase(), async ({ orm }) => {
      const id = uuidV7();
      await insertAffiliate(orm, { id, key: input.key, name: input.name });
      await recordAudit(orm, actor, {
        action: "affiliate.create",
        objectKind: "affiliate",
        objectId: id,
        affiliateId: id,
        after: { key: input.key, name: input.name },
      });
      return existing(await selectAffiliate(orm, input.key));
    }),
  );
}

/** 404 when there is none with this key, 409 when its new key is taken. */
export async function editAffiliate(actor: Actor, key: string, edit: AffiliateEdit): Promise<Affiliate> {
  authorize(actor, "affiliate.edit");
  return refusingTakenKey(() =>
    inTransaction(appDatabase(), async ({ orm }) => {
      const { id, ...before } = existing(await lockAffiliate(orm, key, "update"));
      const after = { key: edit.key ?? before.key, name: edit.name ?? before.name };
      const changes = changedFields(before, after);
      if (changes) {
        await updateAffiliate(orm, id, after);
        await recordAudit(orm, actor, {
          action: "affiliate.edit",
          objectKind: "affiliate",
          objectId: id,
          affiliateId: id,
          ...changes,
        });
      }
      return existing(await selectAffiliate(orm, after.key));
    }),
  );
}

/** 404 when there is none with this key, 409 while it has endpoints. Its events and deliveries stay, its keys end. */
export async function deleteAffiliate(actor: Actor, key: string): Promise<void> {
  authorize(actor, "affiliate.delete");
  await inTransaction(appDatabase(), async ({ orm }) => {
    const { id, ...before } = existing(await lockAffiliate(orm, key, "update"));
    if (await hasEndpoints(orm, id)) {
      throw new Problem("in_use", "The affiliate still has endpoints; delete them first");
    }
    await markAffiliateDeleted(orm, id);
    for (const revoked of await markApiKeysOfAffiliateRevoked(orm, id)) {
      await recordRevocation(orm, actor, revoked);
    }
    await recordAudit(orm, actor, {
      action: "affiliate.delete",
      objectKind: "affiliate",
      objectId: id,
      affiliateId: id,
      before,
    });
  });
}

function existing<T>(affiliate: T | null): T {
  if (!affiliate) throw notFound("affiliate");
  return affiliate;
}

async function refusingTakenKey<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (!isUniqueViolation(error, "affiliates_key")) throw error;
    throw new Problem("already_exists", "There is an affiliate with this key already", [
      { field: "key", message: "is taken" },
    ]);
  }
}
