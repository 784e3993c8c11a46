import { v7 as uuidV7 } from "uuid";
import { endSession, replacedSession } from "#lib/accounts/end-session.ts";
import type { RequestFacts } from "#lib/accounts/request-facts.ts";
import { lockAffiliate, selectAffiliate } from "#lib/affiliates/queries.ts";
import type { Page } from "#lib/api/paging.ts";
import { recordAudit } from "#lib/audit/record.ts";
import type { Actor } from "#lib/auth/actor.ts";
import { hashLinkToken, makeLinkToken } from "#lib/auth/link-token.ts";
import { authorize } from "#lib/auth/permissions.ts";
import { openedSessionCookie, portalSessionName } from "#lib/auth/portal-session.ts";
import { consoleOrigin } from "#lib/config.ts";
import { appDatabase } from "#lib/db/app.ts";
import { inTransaction } from "#lib/db/database.ts";
import { existing, Problem } from "#lib/errors.ts";
import {
  insertPortalLink,
  markPortalLinkRevoked,
  selectPortalLink,
  selectPortalLinks,
  usePortalLink,
} from "./queries.ts";
import type {
  PortalEntry,
  PortalLink,
  PortalLinkCreate,
  PortalLinkCreated,
  PortalLinkListQuery,
} from "./schema.ts";

const sessionHours = 8;

/** One page of the links that were made for an affiliate, newest first; 404 without that affiliate. */
export async function listPortalLinks(
  actor: Actor,
  key: string,
  query: PortalLinkListQuery,
): Promise<Page<PortalLink>> {
  authorize(actor, "portal_link.manage");
  const { orm } = appDatabase();
  const affiliate = existing(await selectAffiliate(orm, key), "affiliate");
  return selectPortalLinks(orm, { ...query, affiliateId: affiliate.id });
}

/** Makes a link into an affiliate's portal, which works once and is answered this once. 404 without that affiliate. */
export async function createPortalLink(
  actor: Actor,
  key: string,
  { minutes }: PortalLinkCreate,
): Promise<PortalLinkCreated> {
  authorize(actor, "portal_link.manage");
  return inTransaction(appDatabase(), async ({ orm }) => {
    const affiliate = existing(await lockAffiliate(orm, key, "share"), "affiliate");
    const id = uuidV7();
    const token = makeLinkToken();
    const given = {
      affiliateId: affiliate.id,
      tokenHash: hashLinkToken(token),
      createdBy: actor.name,
      minutes,
    };
    await insertPortalLink(orm, { id, ...given });
    await recordAudit(orm, actor, {
      action: "portal_link.create",
      objectKind: "portal_link",
      objectId: id,
      affiliateId: affiliate.id,
      after: { minutes },
    });
    const link = existing(await selectPortalLink(orm, { id, affiliateId: affiliate.id }), "portal link");
    return { ...link, url: urlOf(token) };
  });
}

/** Ends a link, and the session that it became. Nothing changes for one that was revoked before; 404 without it. */
export async function revokePortalLink(actor: Actor, key: string, id: string): Promise<void> {
  authorize(actor, "portal_link.manage");
  await inTransaction(appDatabase(), async ({ orm }) => {
    const affiliate = existing(await selectAffiliate(orm, key), "affiliate");
    existing(await selectPortalLink(orm, { id, affiliateId: affiliate.id }), "portal link");
    if (!(await markPortalLinkRevoked(orm, id))) return;
    await recordAudit(orm, actor, {
      action: "portal_link.revoke",
      objectKind: "portal_link",
      objectId: id,
      affiliateId: affiliate.id,
    });
  });
}

/**
 * Exchanges a link for a session of the affiliate's, once, and ends the session that the request came with. 410 for a
 * link that was used, revoked or has expired.
 */
export async function enterPortal(
  request: RequestFacts,
  { token }: PortalEntry,
): Promise<{ cookies: string[] }> {
  const sessionToken = makeLinkToken();
  const replaced = await replacedSession(request);
  await inTransaction(appDatabase(), async (tx) => {
    const link = await usePortalLink(tx.client, {
      tokenHash: hashLinkToken(token),
      sessionHash: hashLinkToken(sessionToken),
      sessionHours,
    });
    if (!link) throw new Problem("link_not_valid", "It was used, was revoked or has expired");
    const { id, createdBy, affiliateId } = link;
    await recordAudit(
      tx.orm,
      { kind: "user", id, name: portalSessionName(createdBy), from: request.from },
      { action: "portal_link.use", objectKind: "portal_link", objectId: id, affiliateId },
    );
    if (replaced) await endSession(tx, replaced);
  });
  return { cookies: [await openedSessionCookie(sessionToken, sessionHours * 3_600)] };
}

function urlOf(token: string): string {
  return `${consoleOrigin()}/portal/enter?token=${token}`;
}
