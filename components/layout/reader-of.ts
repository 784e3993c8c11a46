import type { Role } from "#lib/vocabulary.ts";
import type { Reader } from "./reader.tsx";

/** What the browser is told of whoever is signed in. */
export function readerOf(actor: {
  role: Role;
  affiliateId: string | null;
  name: string;
  email: string;
  viaLink?: boolean;
}): Reader {
  const { role, affiliateId, name, email, viaLink = false } = actor;
  return { kind: "user", role, affiliateId, name, email, viaLink };
}
