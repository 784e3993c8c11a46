import { headerValue } from "./header-value.ts";

/**
 * Where a redirect points, absolute and fit to be shown: a query, which may hold credentials, is only hinted at, and
 * user and fragment are left out. Null for what is no redirect, or names no page on the web. `headers`: alternating
 * names and values; `url`: what was asked, which a relative target is relative to.
 */
export function redirectTarget(response: {
  status: number;
  headers: readonly string[];
  url: string;
}): string | null {
  const { status, headers, url } = response;
  if (status < 300 || status > 399) return null;
  const location = headerValue(headers, "location");
  const target = location === undefined ? null : URL.parse(location, url);
  if (!target || !["http:", "https:"].includes(target.protocol)) return null;
  return `${target.origin}${target.pathname}${target.search === "" ? "" : "?…"}`;
}
