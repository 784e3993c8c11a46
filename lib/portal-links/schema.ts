import { z } from "zod";
import { pageQuery } from "#lib/api/paging.ts";
import type { PortalLinkStatus } from "#lib/vocabulary.ts";

const defaultMinutes = 10;

export const portalLinkCreate = z.strictObject({
  /** How long it can be opened; the session that it becomes lasts 8 hours. */
  minutes: z.number().int().min(1).max(60).default(defaultMinutes),
});
export type PortalLinkCreate = z.infer<typeof portalLinkCreate>;

export const portalLinkListQuery = pageQuery;
export type PortalLinkListQuery = z.infer<typeof portalLinkListQuery>;

/** Without its token, of which only the hash is kept. */
export type PortalLink = {
  id: string;
  status: PortalLinkStatus;
  created_at: string;
  created_by: string;
  expires_at: string;
  used_at: string | null;
  revoked_at: string | null;
  /** When the session that it was exchanged for ends, or has ended. */
  session_ends_at: string | null;
};

/** `url` is answered this once. */
export type PortalLinkCreated = PortalLink & { url: string };

/** What the page behind the link sends back. */
export const portalEntry = z.strictObject({ token: z.string().min(1).max(200) });
export type PortalEntry = z.infer<typeof portalEntry>;
