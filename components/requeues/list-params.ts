import { createLoader, type inferParserType, parseAsString, parseAsStringLiteral } from "nuqs/server";
import type { RequeueListFilters } from "#lib/requeues/client.ts";
import { requeueStates } from "#lib/vocabulary.ts";

/** The list's place in the URL, read alike on the server and in the browser. */
export const requeueParams = { state: parseAsStringLiteral(requeueStates), cursor: parseAsString };
export const loadRequeueParams = createLoader(requeueParams);

export function requeueFilters(params: inferParserType<typeof requeueParams>): RequeueListFilters {
  return Object.fromEntries(Object.entries(params).filter(([, value]) => value !== null));
}
