import { z } from "zod";
import type { AffiliateRef } from "#lib/affiliates/schema.ts";
import { plainText } from "#lib/api/text.ts";
import { linkToken } from "#lib/auth/link-token-schema.ts";
import type { Role } from "#lib/vocabulary.ts";
import { maxPasswordLength, minPasswordLength, passwordFault } from "./password.ts";

export const emailAddress = z
  .email("must be an e-mail address")
  .max(254, "must have at most 254 characters")
  .transform((text) => text.toLowerCase());

export const userName = plainText().trim().min(1).max(200);

/** A password as somebody types it in: whether it is a good one is not asked. */
const givenPassword = plainText().min(1).max(maxPasswordLength);

/** A new one. Whether it is too easy depends on the e-mail address: `refuseWeakPassword`. */
export const newPassword = plainText().min(minPasswordLength).max(maxPasswordLength);

export const signInRequest = z.strictObject({ email: emailAddress, password: givenPassword });
export type SignIn = z.infer<typeof signInRequest>;

export const setupRequest = z
  .strictObject({
    token: linkToken("a set-up link"),
    name: userName,
    email: emailAddress,
    password: newPassword,
  })
  .superRefine(({ email, password }, context) => {
    const fault = passwordFault(password, { email });
    if (fault !== null) context.addIssue({ code: "custom", path: ["password"], message: fault });
  });
export type Setup = z.infer<typeof setupRequest>;

export const accountEdit = z.strictObject({ name: userName });
export type AccountEdit = z.infer<typeof accountEdit>;

export const passwordChange = z.strictObject({ current: givenPassword, password: newPassword });
export type PasswordChange = z.infer<typeof passwordChange>;

export const passwordProof = z.strictObject({ password: givenPassword });
export type PasswordProof = z.infer<typeof passwordProof>;

/** A code of an app, six digits, or a backup code. */
export const secondFactor = z.strictObject({ code: plainText().trim().min(6).max(40) });
export type SecondFactor = z.infer<typeof secondFactor>;

/** `next`: a path of this console to come to. */
export const singleSignOnStart = z.strictObject({ next: z.string().max(2_000).default("/") });
export type SingleSignOnStart = z.infer<typeof singleSignOnStart>;

/** What the identity provider sends back with the browser, which may be more than is read of it. */
export const singleSignOnReturn = z.looseObject({
  code: z.string().max(4_000).optional(),
  state: z.string().max(1_000).optional(),
  error: z.string().max(1_000).optional(),
  iss: z.string().max(1_000).optional(),
});
export type SingleSignOnReturn = z.infer<typeof singleSignOnReturn>;

/** Somebody's own account. */
export type Account = {
  id: string;
  name: string;
  email: string;
  role: Role;
  affiliate: AffiliateRef | null;
  /** Whether signing in asks for a code as well. */
  two_factor: boolean;
};

/** What an app needs to show codes, and what to sign in with where the app is lost. */
export type TwoFactorSecret = { secret: string; uri: string; backup_codes: string[] };

/** One place where somebody is signed in. */
export type AccountSession = {
  id: string;
  created_at: string;
  expires_at: string;
  address: string | null;
  user_agent: string | null;
  /** Whether it is the one that asks. */
  current: boolean;
};
