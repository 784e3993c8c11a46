import { globSync } from "node:fs";
import path from "node:path";

export type Records = {
  affiliate: string;
  apiKey: string;
  delivery: string;
  endpoint: string;
  event: string;
  eventType: string;
  requeue: string;
};

const app = path.join(import.meta.dirname, "..", "app");

/** The paths of all files of this name under app/, such as `/deliveries/[id]`, without groups. */
export function routesOf(file: "page.tsx" | "route.ts"): string[] {
  return globSync(`**/${file}`, { cwd: app }).map(routeOf).sort();
}

function routeOf(file: string): string {
  return `/${path.dirname(file)}`.replace(/\/\([^)]*\)/g, "").replace(/\/\.$/, "") || "/";
}

/** Whom a page is for, by the group that its folder stands in. */
export type Reader = "staff" | "affiliate" | "visitor";

/** All pages, each with whom it is for. */
export function pagesByReader(): Record<Reader, string[]> {
  const pages: Record<Reader, string[]> = { staff: [], affiliate: [], visitor: [] };
  for (const found of globSync("**/page.tsx", { cwd: app }).sort()) {
    const reader = found.startsWith("(auth)")
      ? "visitor"
      : found.startsWith("(portal)")
        ? "affiliate"
        : "staff";
    pages[reader].push(routeOf(found));
  }
  return pages;
}

/** The route with each dynamic part replaced by the id of a record, by the folder that it stands in. */
export function existingPath(route: string, records: Records): string {
  const known: Record<string, string> = {
    "affiliates/[key]": records.affiliate,
    "alerts/[id]": "1",
    "api-keys/[id]": records.apiKey,
    "deliveries/[id]": records.delivery,
    "endpoints/[id]": records.endpoint,
    "events/[id]": records.event,
    "event-types/[name]": records.eventType,
    "approvals/[id]": "01890a5d-ac96-774b-bcce-b302099a8057",
    "portal-link/[id]": "01890a5d-ac96-774b-bcce-b302099a8057",
    "requeues/[id]": records.requeue,
    // Of nobody, since what is done to these would end the session that asks.
    "invitations/[id]": "01890a5d-ac96-774b-bcce-b302099a8057",
    "users/[id]": "01890a5d-ac96-774b-bcce-b302099a8057",
    "secrets/[secretId]": "01890a5d-ac96-774b-bcce-b302099a8057",
    "api/[...path]": "nothing",
  };
  return route.replace(/([^/]+)\/(\[[^/]+\])/g, (place, folder: string) => {
    const value = known[place];
    if (value === undefined) throw new Error(`no record is known for ${place} of ${route}`);
    return `${folder}/${encodeURIComponent(value)}`;
  });
}

/** The route with ids that nothing has. */
export function unknownPath(route: string): string {
  return route.replace(/\[[^/]+\]/g, "nobody-has-this");
}
