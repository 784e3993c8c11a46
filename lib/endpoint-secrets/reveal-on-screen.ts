import { confirmPassword } from "#lib/accounts/confirm-password.ts";
import { authorize, isAffiliate } from "#lib/auth/permissions.ts";
import type { SessionActor } from "#lib/auth/session.ts";
import { invalidField } from "#lib/errors.ts";
import type { SecretRevealOnScreen } from "./schema.ts";
import { listSecrets, revealSecret } from "./service.ts";

/**
 * `revealSecret` for somebody who is signed in: staff say why, and an affiliate's own users, for whom it is theirs, give
 * their password once more. 422 without it or for a wrong one, 429 after too many.
 */
export async function revealOnScreen(
  actor: SessionActor,
  endpointId: string,
  { reason, password }: SecretRevealOnScreen,
): Promise<{ secret: string }> {
  authorize(actor, "endpoint.reveal_secret");
  if (!isAffiliate(actor)) {
    if (reason === undefined) throw invalidField("reason", "is required");
    return revealSecret(actor, endpointId, { reason });
  }
  // What is not theirs is a 404 also with a wrong password.
  await listSecrets(actor, endpointId);
  if (password === undefined) throw invalidField("password", "is required");
  if ((await confirmPassword(actor, password)) === null)
    throw invalidField("password", "is not your password");
  return revealSecret(actor, endpointId, { passwordConfirmed: true });
}
