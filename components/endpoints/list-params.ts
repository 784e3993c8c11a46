import { createLoader, type inferParserType, parseAsString, parseAsStringLiteral } from "nuqs/server";
import type { EndpointFilters } from "#lib/endpoints/client.ts";

export const endpointViews = ["all", "failing", "paused", "disabled"] as const;
export type EndpointView = (typeof endpointViews)[number];

/** The list's place in the URL, read alike on the server and in the browser. */
export const endpointParams = {
  view: parseAsStringLiteral(endpointViews).withDefault("all"),
  q: parseAsString,
  affiliate: parseAsString,
  cursor: parseAsString,
};
export const loadEndpointParams = createLoader(endpointParams);

const viewFilters = {
  all: {},
  failing: { failing: "true" },
  paused: { status: "paused" },
  disabled: { status: "disabled" },
} satisfies Record<EndpointView, EndpointFilters>;

export function endpointFilters(params: inferParserType<typeof endpointParams>): EndpointFilters {
  const { view, ...rest } = params;
  return {
    ...viewFilters[view],
    ...Object.fromEntries(Object.entries(rest).filter(([, value]) => value !== null)),
  };
}
