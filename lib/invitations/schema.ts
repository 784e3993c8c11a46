import { z } from "zod";
import { emailAddress, newPassword, userName } from "#lib/accounts/schema.ts";
import { type AffiliateRef, affiliateKey } from "#lib/affiliates/schema.ts";
import { pageQuery } from "#lib/api/paging.ts";
import { plainText } from "#lib/api/text.ts";
import { linkToken } from "#lib/auth/link-token-schema.ts";
import { refuseStrayAffiliate } from "#lib/users/schema.ts";
import { type InvitationStatus, invitationStatuses, type Role, roles } from "#lib/vocabulary.ts";

export const invitationCreate = z
  .strictObject({
    email: emailAddress,
    role: z.enum(roles),
    /** Whose user it will be: for the role affiliate, and for no other. */
    affiliate: affiliateKey.nullable().default(null),
  })
  .superRefine(refuseStrayAffiliate);
export type InvitationCreate = z.infer<typeof invitationCreate>;

export const invitationAcceptance = z.strictObject({
  token: linkToken("an invitation"),
  name: userName,
  password: newPassword,
});
export type InvitationAcceptance = z.infer<typeof invitationAcceptance>;

export const invitationListQuery = pageQuery.extend({
  /** In the e-mail address. */
  q: plainText().trim().max(200).optional(),
  status: z.enum(invitationStatuses).optional(),
});
export type InvitationListQuery = z.infer<typeof invitationListQuery>;

/** Without its token, of which only the hash is kept. */
export type Invitation = {
  id: string;
  email: string;
  role: Role;
  affiliate: AffiliateRef | null;
  status: InvitationStatus;
  created_at: string;
  created_by: string;
  expires_at: string;
};

/** `url` is the link, which is answered this once. `emailed`: whether it went out by e-mail; null where none can. */
export type InvitationCreated = Invitation & { url: string; emailed: boolean | null };
