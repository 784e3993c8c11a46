import { subscribe } from "node:diagnostics_channel";
import type { IncomingMessage, Server, ServerResponse } from "node:http";
import { isIP } from "node:net";
import { addressHeader } from "#lib/auth/actor.ts";
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
  const { publicUrl, trustedProxies } = config();
  const headers = new Map(Object.entries(standardHeaders(publicUrl)));
  subscribe("http.server.request.start", (message) => {
    const { request, response, server } = message as Started;
    server.requestTimeout = requestTimeoutMs;
    request.url = routableUrl(request.url ?? "/");
    request.method = routableMethod(request.method ?? "GET");
    request.headers[addressHeader] = callerAddress(request, trustedProxies);
    response.setHeaders(headers);
  });
}

/**
 * The socket's other end, or what the outermost of our own proxies saw: each appends one entry to X-Forwarded-For, so the
 * place alone, counted from the end, tells whose an entry is, and of what the caller wrote there nothing is believed. The
 * socket's other end as well where that entry is missing or no address.
 */
export function callerAddress(
  { headers, socket }: Pick<IncomingMessage, "headers"> & { socket: { remoteAddress?: string | undefined } },
  trustedProxies: number,
): string {
  const entries = [headers["x-forwarded-for"] ?? []].flat().flatMap((list) => list.split(","));
  const seen = trustedProxies === 0 ? undefined : entries.at(-trustedProxies);
  const address = (seen && addressIn(seen)) ?? socket.remoteAddress ?? "";
  return address.replace(/^::ffff:(?=\d+\.)/i, "");
}

/** Of `192.0.2.1`, `192.0.2.1:80`, `2001:db8::1`, `[2001:db8::1]` and `[2001:db8::1]:80`; null for anything else. */
function addressIn(entry: string): string | null {
  const text = entry.trim();
  const [, bracketed, dotted] = /^(?:\[([^\]]*)\]|([\d.]+))(?::\d{1,5})?$/.exec(text) ?? [];
  const address = bracketed ?? dotted ?? text;
  return isIP(address) === 0 || (bracketed !== undefined && isIP(address) !== 6) ? null : address;
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
