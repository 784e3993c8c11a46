import { subscribe } from "node:diagnostics_channel";
import type { IncomingMessage } from "node:http";

/**
 * Runs once in the web process, before it takes requests. A path whose percent-escapes are no UTF-8 cannot be
 * routed and would be answered with a 500; with its percent signs escaped it is an ordinary unknown path.
 */
export function register(): void {
  if (process.env.NEXT_RUNTIME !== "nodejs") return;
  subscribe("http.server.request.start", (message) => {
    const { request } = message as { request: IncomingMessage };
    request.url = routableUrl(request.url ?? "/");
  });
}

function routableUrl(url: string): string {
  const queryAt = url.indexOf("?");
  const path = queryAt === -1 ? url : url.slice(0, queryAt);
  try {
    decodeURIComponent(path);
    return url;
  } catch {
    return path.replaceAll("%", "%25") + url.slice(path.length);
  }
}
