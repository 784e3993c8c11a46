import { v7 as uuidV7 } from "uuid";
import { recordAudit } from "#lib/audit/record.ts";
import type { Actor } from "#lib/auth/actor.ts";
import { isAffiliate } from "#lib/auth/permissions.ts";
import { config, secretKeys } from "#lib/config.ts";
import type { Orm } from "#lib/db/database.ts";
import type { EndpointEdit } from "#lib/endpoints/schema.ts";
import { encryptSecret } from "#lib/secrets.ts";
import { insertChange } from "./queries.ts";

/** Whether this edit has to wait for the operators: an affiliate's that would send events to another host. */
export function needsApproval(actor: Actor, urls: { from: string; to: string }): boolean {
  return config().approveHostChanges && isAffiliate(actor) && originOf(urls.from) !== originOf(urls.to);
}

/** Scheme, host and port, in which no template has a macro. */
function originOf(url: string): string {
  const pathAt = url.indexOf("/", url.indexOf("://") + 3);
  return (pathAt === -1 ? url : url.slice(0, pathAt)).toLowerCase();
}

/** Keeps the whole edit for the operators to decide, in place of one that still waits; the endpoint stays as it is. */
export async function requestChange(
  orm: Orm,
  actor: Actor,
  change: { endpointId: string; affiliateId: string; fromUrl: string; toUrl: string; edit: EndpointEdit },
): Promise<void> {
  const { edit, ...rest } = change;
  const id = uuidV7();
  const plain = Buffer.from(JSON.stringify(edit));
  const sealed = encryptSecret(plain, { key: secretKeys()[0], context: id });
  await insertChange(orm, { ...rest, id, edit: sealed, requestedBy: actor.name });
  await recordAudit(orm, actor, {
    action: "endpoint.request_change",
    objectKind: "endpoint",
    objectId: change.endpointId,
    affiliateId: change.affiliateId,
    before: { url: change.fromUrl },
    after: { url: change.toUrl },
  });
}
