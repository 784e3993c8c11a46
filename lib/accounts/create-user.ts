import { hashPassword } from "better-auth/crypto";
import { v7 as uuidV7 } from "uuid";
import { isUniqueViolation } from "#lib/api/database-errors.ts";
import { type AuditActor, recordAudit } from "#lib/audit/record.ts";
import type { Orm } from "#lib/db/database.ts";
import { invalidField, Problem } from "#lib/errors.ts";
import type { Role } from "#lib/vocabulary.ts";
import { passwordFault } from "./password.ts";
import { insertUser } from "./queries.ts";

export type UserToCreate = {
  name: string;
  /** In lower case. */
  email: string;
  password: string;
  role: Role;
  affiliateId: string | null;
};

/**
 * Makes a user who signs in with a password, and the line in the audit log, in the caller's transaction. The password
 * becomes an scrypt hash (N 16384, r 16, p 1). 409 when the address is taken, 422 for a password that is too easy.
 */
export async function createUser(orm: Orm, actor: AuditActor, user: UserToCreate): Promise<{ id: string }> {
  refuseWeakPassword(user.password, user);
  const { name, email, password, role, affiliateId } = user;
  const id = uuidV7();
  const passwordHash = await hashPassword(password);
  try {
    await insertUser(orm, { id, credentialId: uuidV7(), name, email, passwordHash, role, affiliateId });
  } catch (error) {
    if (!isUniqueViolation(error, "users_email")) throw error;
    throw new Problem("already_exists", "There is a user with this e-mail address already", [
      { field: "email", message: "is taken" },
    ]);
  }
  await recordAudit(orm, actor, {
    action: "user.create",
    objectKind: "user",
    objectId: id,
    ...(affiliateId === null ? {} : { affiliateId }),
    after: { name, email, role },
  });
  return { id };
}

/** 422 for a new password that is too short or among the first that anybody tries. */
export function refuseWeakPassword(password: string, { email }: { email: string }): void {
  const fault = passwordFault(password, { email });
  if (fault !== null) throw invalidField("password", fault);
}
