import { Problem } from "#lib/errors.ts";

/**
 * Guards for what has no sign-in yet and is served on loopback alone. A browser that was lured to a foreign
 * page still sends that page's host name (DNS rebinding) or origin (a forged request), which no page can change.
 */
const loopbackHost = /^(localhost|127(\.\d{1,3}){3}|\[::1\])(:\d{1,5})?$/i;

/** Whether a Host header names this machine itself. */
export function isLoopbackHost(host: string | null): boolean {
  return host !== null && loopbackHost.test(host);
}

/** Throws a 403 unless the request can come from one of our own pages, or from no browser at all. */
export function refuseForeignRequest(request: Request): void {
  const host = request.headers.get("host");
  if (!isLoopbackHost(host)) {
    throw new Problem("foreign_host", "The console answers under localhost, 127.0.0.1 and [::1] only");
  }
  if (request.method === "GET" || request.method === "HEAD") return;
  const origin = request.headers.get("origin");
  const site = request.headers.get("sec-fetch-site");
  const isForeignOrigin = origin !== null && URL.parse(origin)?.host !== host?.toLowerCase();
  if (isForeignOrigin || (site !== null && site !== "same-origin" && site !== "none")) {
    throw new Problem("foreign_origin", "Only the console's own pages may do this");
  }
}
