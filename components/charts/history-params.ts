import { createLoader, type inferParserType, parseAsString, parseAsStringLiteral } from "nuqs/server";
import type { HistoryTimes } from "#lib/stats/client.ts";
import { historyRanges } from "#lib/stats/ranges.ts";

/** The time range of a page in its URL, read alike on the server and in the browser. */
export const historyParams = {
  range: parseAsStringLiteral(historyRanges).withDefault("24h"),
  from: parseAsString,
  to: parseAsString,
};
export const loadHistoryParams = createLoader(historyParams);

/** Chosen times go before a range that ends now. */
export function historyTimes({ range, from, to }: inferParserType<typeof historyParams>): HistoryTimes {
  if (from === null && to === null) return { range };
  return { ...(from === null ? {} : { from }), ...(to === null ? {} : { to }) };
}
