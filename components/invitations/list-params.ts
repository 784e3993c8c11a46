import { createLoader, type inferParserType, parseAsString, parseAsStringLiteral } from "nuqs/server";
import type { InvitationFilters } from "#lib/invitations/client.ts";
import { invitationStatuses } from "#lib/vocabulary.ts";

/** The list's place in the URL, read alike on the server and in the browser. */
export const invitationParams = {
  q: parseAsString,
  status: parseAsStringLiteral(invitationStatuses),
  cursor: parseAsString,
};
export const loadInvitationParams = createLoader(invitationParams);

export function invitationFilters(params: inferParserType<typeof invitationParams>): InvitationFilters {
  return Object.fromEntries(Object.entries(params).filter(([, value]) => value !== null));
}
