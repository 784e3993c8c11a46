import { createLoader, type inferParserType, parseAsString, parseAsStringLiteral } from "nuqs/server";
import type { ChangeFilters } from "#lib/endpoint-changes/client.ts";
import { changeViews } from "#lib/endpoint-changes/views.ts";

/** The list's place in the URL, read alike on the server and in the browser. */
export const changeParams = {
  view: parseAsStringLiteral(changeViews).withDefault("waiting"),
  cursor: parseAsString,
};
export const loadChangeParams = createLoader(changeParams);

export function changeFilters({ view, cursor }: inferParserType<typeof changeParams>): ChangeFilters {
  return { view, ...(cursor === null ? {} : { cursor }) };
}
