import { z } from "zod";
import { maxPasswordLength } from "#lib/accounts/password.ts";
import { plainText } from "#lib/api/text.ts";

/** Revealing a secret needs a reason, which goes into the audit log. */
export const secretReveal = z.strictObject({ reason: plainText().trim().min(1).max(500) });
export type SecretReveal = z.infer<typeof secretReveal>;

/** From a page: staff give a reason, an affiliate's users their own password. */
export const secretRevealOnScreen = z.strictObject({
  reason: secretReveal.shape.reason.optional(),
  password: z.string().min(1).max(maxPasswordLength).optional(),
});
export type SecretRevealOnScreen = z.infer<typeof secretRevealOnScreen>;

/** How long those before it go on signing; 0 ends the current one at once. */
export const secretRotation = z.strictObject({ overlap_hours: z.number().int().min(0).max(168).default(24) });
export type SecretRotation = z.infer<typeof secretRotation>;

/** A secret that signs now. Its value is shown when it is made, and when it is revealed. */
export type EndpointSecret = {
  id: string;
  created_at: string;
  /** Null for the current one. */
  expires_at: string | null;
};

/** The answer to a rotation. */
export type EndpointSecretCreated = EndpointSecret & { secret: string };
