import { createLoader, type inferParserType, parseAsString, parseAsStringLiteral } from "nuqs/server";
import type { ApiKeyFilters } from "#lib/api-keys/client.ts";
import { keyPurposes, keyStatuses } from "#lib/vocabulary.ts";

/** The list's place in the URL, read alike on the server and in the browser. */
export const apiKeyParams = {
  q: parseAsString,
  purpose: parseAsStringLiteral(keyPurposes),
  status: parseAsStringLiteral(keyStatuses),
  affiliate: parseAsString,
  cursor: parseAsString,
};
export const loadApiKeyParams = createLoader(apiKeyParams);

export function apiKeyFilters(params: inferParserType<typeof apiKeyParams>): ApiKeyFilters {
  return Object.fromEntries(Object.entries(params).filter(([, value]) => value !== null));
}
