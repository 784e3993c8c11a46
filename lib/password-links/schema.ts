import { z } from "zod";
import { emailAddress, newPassword } from "#lib/accounts/schema.ts";
import { linkToken } from "#lib/auth/link-token-schema.ts";

export const forgottenPassword = z.strictObject({ email: emailAddress });
export type ForgottenPassword = z.infer<typeof forgottenPassword>;

export const newPasswordRequest = z.strictObject({
  token: linkToken("a password link"),
  password: newPassword,
});
export type NewPassword = z.infer<typeof newPasswordRequest>;

/** `ended`: replaced by a newer one, or void since the account was changed. */
export type PasswordLinkStatus = "open" | "used" | "expired" | "ended";

/** Without its token, of which only the hash is kept. */
export type PasswordLink = {
  id: string;
  status: PasswordLinkStatus;
  expires_at: string;
  user: { id: string; email: string; affiliateId: string | null };
};

/** `url` is the link, which is answered this once. */
export type PasswordLinkMade = { url: string; expires_at: string };
