import { z } from "zod";
import type { AffiliateRef } from "#lib/affiliates/schema.ts";
import { pageQuery } from "#lib/api/paging.ts";
import { plainText } from "#lib/api/text.ts";
import type { EndpointChangeState } from "#lib/vocabulary.ts";
import { changeViews } from "./views.ts";

export const changeListQuery = pageQuery.extend({ view: z.enum(changeViews).default("waiting") });
export type ChangeListQuery = z.infer<typeof changeListQuery>;

export const changeRefusal = z.strictObject({
  /** The affiliate reads it. */
  reason: plainText().trim().min(3).max(500),
});
export type ChangeRefusal = z.infer<typeof changeRefusal>;

/** An edit that would send an endpoint's events to another host, and what became of it. */
export type EndpointChange = {
  id: string;
  state: EndpointChangeState;
  from_url: string;
  to_url: string;
  requested_at: string;
  requested_by: string;
  decided_at: string | null;
  decided_by: string | null;
  /** Why it was refused. */
  reason: string | null;
};

export type QueuedChange = EndpointChange & {
  endpoint: { id: string; name: string };
  affiliate: AffiliateRef;
};
