import { createLoader, type inferParserType, parseAsString, parseAsStringLiteral } from "nuqs/server";
import type { AlertFilters } from "#lib/alerts/client.ts";
import { findingKinds } from "#lib/vocabulary.ts";

export const alertViews = ["all", "open", "ended"] as const;
export type AlertView = (typeof alertViews)[number];

/** The list's place in the URL, read alike on the server and in the browser. */
export const alertParams = {
  view: parseAsStringLiteral(alertViews).withDefault("all"),
  kind: parseAsStringLiteral(findingKinds),
  endpoint: parseAsString,
  affiliate: parseAsString,
  cursor: parseAsString,
};
export const loadAlertParams = createLoader(alertParams);

export function alertFilters({ view, ...rest }: inferParserType<typeof alertParams>): AlertFilters {
  return {
    ...Object.fromEntries(Object.entries(rest).filter(([, value]) => value !== null)),
    ...(view === "all" ? {} : { state: view }),
  };
}
