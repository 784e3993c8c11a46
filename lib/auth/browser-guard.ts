import { config } from "#lib/config.ts";
import { Problem } from "#lib/errors.ts";
import { hasAdmin } from "./has-admin.ts";

/**
 * Guards for what browsers use. One that was lured to a foreign page still sends that page's host name (DNS
 * rebinding) or origin (a forged request), which no page can change.
 */
const loopbackHost = /^(localhost|127(\.\d{1,3}){3}|\[::1\])(:\d{1,5})?$/i;

/**
 * Whether this is a Host under which the console answers: this machine's own names, and the deployment's own origin
 * once there is an admin.
 */
export async function isServedHost(host: string | null): Promise<boolean> {
  if (host === null) return false;
  if (loopbackHost.test(host)) return true;
  const { publicUrl } = config();
  return publicUrl !== undefined && URL.parse(publicUrl)?.host === host.toLowerCase() && (await hasAdmin());
}

/** Throws a 403 unless the request can come from one of our own pages, or from no browser at all. */
export async function refuseForeignRequest(request: Request): Promise<void> {
  const host = request.headers.get("host");
  if (!(await isServedHost(host))) {
    throw new Problem(
      "foreign_host",
      "The console answers under POSTHORN_PUBLIC_URL, localhost, 127.0.0.1 and [::1] only",
    );
  }
  if (request.method === "GET" || request.method === "HEAD") return;
  const origin = request.headers.get("origin");
  const site = request.headers.get("sec-fetch-site");
  const isForeignOrigin = origin !== null && !isOwnOrigin(origin, host ?? "");
  if (isForeignOrigin || (site !== null && site !== "same-origin" && site !== "none")) {
    throw new Problem("foreign_origin", "Only the console's own pages may do this");
  }
}

/** A proxy may ask for us by a name of this machine, while the browser knows the public one. */
function isOwnOrigin(origin: string, host: string): boolean {
  if (origin === config().publicUrl) return true;
  const named = URL.parse(origin)?.host;
  return named !== undefined && loopbackHost.test(named) && named === host.toLowerCase();
}
