import { createLoader, type inferParserType, parseAsString, parseAsStringLiteral } from "nuqs/server";
import type { UserFilters } from "#lib/users/client.ts";
import { roles, userStatuses } from "#lib/vocabulary.ts";

/** The list's place in the URL, read alike on the server and in the browser. */
export const userParams = {
  q: parseAsString,
  role: parseAsStringLiteral(roles),
  status: parseAsStringLiteral(userStatuses),
  affiliate: parseAsString,
  cursor: parseAsString,
};
export const loadUserParams = createLoader(userParams);

export function userFilters(params: inferParserType<typeof userParams>): UserFilters {
  return Object.fromEntries(Object.entries(params).filter(([, value]) => value !== null));
}
