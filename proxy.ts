import type { NextRequest } from "next/server";
import { isLoopbackHost } from "#lib/auth/browser-guard.ts";

/**
 * Refuses pages under a foreign host name: until accounts exist the console is for this machine alone, and a
 * page elsewhere that has its own name resolved to 127.0.0.1 must not get at it.
 */
export function proxy(request: NextRequest): Response | undefined {
  if (isLoopbackHost(request.headers.get("host"))) return undefined;
  return new Response("The console answers under localhost, 127.0.0.1 and [::1] only.\n", {
    status: 403,
    headers: { "content-type": "text/plain; charset=utf-8", "cache-control": "no-store" },
  });
}

/**
 * Not for /api, which checks for itself: what passes here has its body buffered, and cut off at 10 MB without
 * a word. Not for the probes, which orchestrators call by address.
 */
export const config = { matcher: ["/((?!api/|healthz$|readyz$|_next/static/).*)"] };
