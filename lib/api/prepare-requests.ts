import { subscribe } from "node:diagnostics_channel";
import type { IncomingMessage, Server, ServerResponse } from "node:http";
import { config } from "#lib/config.ts";
import { standardHeaders } from "./security-headers.ts";

type Started = { request: IncomingMessage; response: ServerResponse; server: Server };

/** Within this a request must have arrived with all of its body; Node.js looks every 30 s, and answers 408. */
const requestTimeoutMs = 60_000;

/**
 * Makes every request one that can be routed, and its answer carry the standard headers: whatever gives it, a page, a
 * route, a static file or the framework's own refusal, does so with them, unless it sets them itself.
 */
export function prepareRequests(): void {
  const headers = new Map(Object.entries(standardHeaders(config().publicUrl)));
  subscribe("http.server.request.start", (message) => {
    const { request, response, server } = message as Started;
    server.requestTimeout = requestTimeoutMs;
    request.url = routableUrl(request.url ?? "/");
    request.method = routableMethod(request.method ?? "GET");
    response.setHeaders(headers);
  });
}

/**
 * A path whose percent-escapes are no UTF-8 cannot be routed and would be answered with a 500; with its percent
 * signs escaped it is an ordinary unknown path.
 */
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

/** No Request can be made with the method TRACE: that too would be a 500, where an unknown method is a 400. */
function routableMethod(method: string): string {
  return method === "TRACE" ? "UNKNOWN" : method;
}
