import type { Verb } from "./permissions.ts";

/** Pages of the console that are not for all of the staff, each with what its reader must be allowed. */
const verbOfPage: [RegExp, Verb][] = [
  [/^\/endpoints\/new$/, "endpoint.create"],
  [/^\/endpoints\/[^/]+\/edit$/, "endpoint.edit"],
  [/^\/event-types\/new$/, "event_type.create"],
  [/^\/event-types\/[^/]+\/edit$/, "event_type.edit"],
  [/^\/settings\/api-keys$/, "api_key.read"],
  [/^\/settings\/(users|invitations)$/, "user.manage"],
  [/^\/approvals$/, "endpoint.approve_change"],
];

/** Null for a page that all of the staff may read. `path` is one that can be decoded, and may have a query. */
export function pageVerb(path: string): Verb | null {
  const page = decodeURIComponent(path.split("?", 1)[0] ?? "");
  return verbOfPage.find(([pattern]) => pattern.test(page))?.[1] ?? null;
}
