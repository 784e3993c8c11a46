import type { Asker } from "./permissions.ts";

/** Where a call came from, for the audit log and the throttle. */
export type CallOrigin = { address: string | null; userAgent: string | null };

/** Who does something: the first argument of every service verb, and the name in the audit log. */
export type Actor = Asker & {
  id: string;
  name: string;
  from: CallOrigin;
};

/** What Posthorn does by itself, or at the command line. */
export const systemActor = {
  kind: "system",
  id: null,
  name: "Posthorn",
  from: { address: null, userAgent: null },
} as const;

/** Set on every request as it arrives (lib/api/prepare-requests.ts), over whatever the caller sent. */
export const addressHeader = "x-posthorn-address";
const maxUserAgentCharacters = 300;

/** Where a request came from. */
export function callOrigin(headers: Headers): CallOrigin {
  const userAgent = headers.get("user-agent");
  return {
    address: headers.get(addressHeader),
    userAgent: userAgent === null ? null : userAgent.slice(0, maxUserAgentCharacters),
  };
}

/** The record, unless it belongs to another affiliate than the actor is limited to: for them it does not exist. */
export function visibleTo<T extends { affiliate: { id: string } }>(
  actor: { affiliateId: string | null },
  found: T | null,
): T | null {
  return actor.affiliateId === null || found?.affiliate.id === actor.affiliateId ? found : null;
}
