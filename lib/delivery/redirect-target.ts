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
  const at = headers.findIndex((text, i) => i % 2 === 0 && text.toLowerCase() === "location");
  const target = at === -1 ? null : URL.parse(headers[at + 1] ?? "", url);
  if (!target || !/^https?:$/.test(target.protocol)) return null;
  return `${target.origin}${target.pathname}${target.search === "" ? "" : "?…"}`;
}
