import { createLoader, parseAsString } from "nuqs/server";
import type { EndpointFilters } from "#lib/endpoints/client.ts";

/** The page's place in the URL, read alike on the server and in the browser. */
export const queueParams = { cursor: parseAsString };
export const loadQueueParams = createLoader(queueParams);

/** Endpoints that something waits for, what has been due longest first. */
export function backlogFilters(cursor: string | null): EndpointFilters {
  return {
    waiting: "true",
    sort: "oldest_due",
    activity: "true",
    limit: 25,
    ...(cursor === null ? {} : { cursor }),
  };
}
