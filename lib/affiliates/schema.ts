import { z } from "zod";
import { type CappedCount, pageQuery } from "#lib/api/paging.ts";
import { plainText } from "#lib/api/text.ts";

export const affiliateKey = z
  .string()
  .regex(/^[A-Za-z0-9_.:-]{1,128}$/, "must be 1 to 128 of A-Z a-z 0-9 _ . : -")
  .refine((key) => key !== "." && key !== "..", "must not be . or .., which mean something else in a URL");

const affiliateName = plainText().trim().min(1).max(200);

export const affiliateCreate = z.strictObject({
  key: affiliateKey,
  name: affiliateName,
});
export type AffiliateCreate = z.infer<typeof affiliateCreate>;

export const affiliateEdit = z
  .strictObject({ key: affiliateKey.optional(), name: affiliateName.optional() })
  .refine((edit) => Object.keys(edit).length > 0, "must change at least one field");
export type AffiliateEdit = z.infer<typeof affiliateEdit>;

/** What the console's form edits: a new key would break whoever publishes by the old one. */
export const affiliateRename = z.strictObject({ name: affiliateName });
export type AffiliateRename = z.infer<typeof affiliateRename>;

export const affiliateListQuery = pageQuery.extend({
  q: plainText().trim().max(200).optional(),
  /** With each affiliate's `activity`. */
  activity: z.stringbool().default(false),
});
export type AffiliateListQuery = z.infer<typeof affiliateListQuery>;

export type AffiliateRef = { id: string; key: string; name: string };

export type AffiliateActivity = {
  /** As many as its view of failing endpoints holds. */
  failing_endpoints: number;
  events_last_day: CappedCount;
};

export type Affiliate = AffiliateRef & {
  endpoint_count: number;
  /** Of a single one, and where a list was asked for it. */
  activity?: AffiliateActivity;
  created_at: string;
  updated_at: string;
};
