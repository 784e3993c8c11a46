import type { Role } from "#lib/vocabulary.ts";
import type { Reader } from "./reader.tsx";

/** What the browser is told of whoever is signed in. */
export function readerOf(actor: {
  id: string;
  role: Role;
  affiliateId: string | null;
  name: string;
  email: string;
  viewing: { name: string; endsAt: Date } | null;
  viaLink?: boolean;
}): Reader {
  const { id, role, affiliateId, name, email, viaLink = false } = actor;
  const viewing = actor.viewing && { name: actor.viewing.name, endsAt: actor.viewing.endsAt.toISOString() };
  return { kind: "user", id, role, affiliateId, name, email, viewing, viaLink };
}
