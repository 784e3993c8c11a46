import { Problem } from "#lib/errors.ts";
import type { ActorKind } from "#lib/vocabulary.ts";

/** Who does something: the first argument of every service verb, and the name in the audit log. */
export type Actor = {
  kind: ActorKind;
  id: string | null;
  name: string;
  /** All that there is for this actor is what belongs to this affiliate; null for no such limit. */
  affiliateId: string | null;
};

/** Whoever sits at the console. */
export const consoleActor: Actor = { kind: "console", id: null, name: "Console", affiliateId: null };

/** The record, unless it belongs to another affiliate than the actor is limited to: for them it does not exist. */
export function visibleTo<T extends { affiliate: { id: string } }>(actor: Actor, found: T | null): T | null {
  return actor.affiliateId === null || found?.affiliate.id === actor.affiliateId ? found : null;
}

/** What concerns the deployment is not for an actor that is limited to one affiliate: 403. */
export function refuseLimited(actor: Actor): void {
  if (actor.affiliateId !== null) throw new Problem("forbidden", "This is not for one affiliate alone");
}
