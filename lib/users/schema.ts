import { z } from "zod";
import { type AffiliateRef, affiliateKey } from "#lib/affiliates/schema.ts";
import { pageQuery } from "#lib/api/paging.ts";
import { plainText } from "#lib/api/text.ts";
import { type Role, roles, type UserStatus, userStatuses } from "#lib/vocabulary.ts";

/** A role, with the affiliate's key for the role affiliate and for no other. */
export const roleOf = z
  .strictObject({ role: z.enum(roles), affiliate: affiliateKey.nullable().default(null) })
  .superRefine(refuseStrayAffiliate);
export type RoleOf = z.infer<typeof roleOf>;

export function refuseStrayAffiliate(
  { role, affiliate }: { role: Role; affiliate: string | null },
  context: { addIssue: (issue: { code: "custom"; path: string[]; message: string }) => void },
): void {
  if ((role === "affiliate") === (affiliate !== null)) return;
  const message = role === "affiliate" ? "must say whose user this is" : "is for the role affiliate";
  context.addIssue({ code: "custom", path: ["affiliate"], message });
}

export const userListQuery = pageQuery.extend({
  /** In the name or e-mail address, or the whole id. */
  q: plainText().trim().max(200).optional(),
  role: z.enum(roles).optional(),
  status: z.enum(userStatuses).optional(),
  affiliate: affiliateKey.optional(),
});
export type UserListQuery = z.infer<typeof userListQuery>;

export type User = {
  id: string;
  name: string;
  email: string;
  role: Role;
  affiliate: AffiliateRef | null;
  status: UserStatus;
  /** Whether signing in asks for a code as well. */
  two_factor: boolean;
  /** Places where they are signed in now, 100 at most. */
  session_count: number;
  created_at: string;
};
