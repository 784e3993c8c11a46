import type { KeyPurpose } from "#lib/vocabulary.ts";

/**
 * What a route asks of its caller's key. `read_all`: what is read concerns the deployment, or its secrets, and is not
 * for a key that is limited to one affiliate.
 */
export type RouteNeed = "publish" | "read" | "read_all" | "manage";

/** What a key is allowed: by its purpose, and by whether it is limited to one affiliate. */
export type KeyLimits = { purpose: KeyPurpose; affiliateId: string | null };

const granting = {
  publish: ["publish", "manage"],
  read: ["read", "manage"],
  read_all: ["read", "manage"],
  manage: ["manage"],
} satisfies Record<RouteNeed, readonly KeyPurpose[]>;

/** What a method needs unless its route says otherwise: reading to get, managing for everything else. */
export function defaultNeed(method: string): RouteNeed {
  return method === "GET" || method === "HEAD" ? "read" : "manage";
}

/** Null when the key may call a route with this need; else why not, and what key could. */
export function callRefusal({ purpose, affiliateId }: KeyLimits, need: RouteNeed): string | null {
  const purposes: readonly KeyPurpose[] = granting[need];
  if (!purposes.includes(purpose)) {
    return `This key is for ${purpose}; this needs one for ${purposes.join(" or ")}`;
  }
  if (need === "read_all" && affiliateId !== null) {
    return `This key is limited to one affiliate; this needs one for ${purposes.join(" or ")} without that limit`;
  }
  return null;
}
