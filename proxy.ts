import { randomBytes } from "node:crypto";
import { type NextRequest, NextResponse } from "next/server";
import { pagePolicy } from "#lib/api/security-headers.ts";
import { isLoopbackHost } from "#lib/auth/browser-guard.ts";

/**
 * Refuses pages under a foreign host name: until accounts exist the console is for this machine alone, and a
 * page elsewhere that has its own name resolved to 127.0.0.1 must not get at it. Gives every other page the policy
 * that its scripts must fit, and the rendering the nonce for them: Next.js takes it out of the policy.
 */
export function proxy(request: NextRequest): Response {
  if (!isLoopbackHost(request.headers.get("host"))) {
    return new Response("The console answers under localhost, 127.0.0.1 and [::1] only.\n", {
      status: 403,
      headers: { "content-type": "text/plain; charset=utf-8", "cache-control": "no-store" },
    });
  }
  const nonce = randomBytes(16).toString("base64");
  const policy = pagePolicy({ nonce, isDevelopment: process.env.NODE_ENV === "development" });
  const headers = new Headers(request.headers);
  headers.set("content-security-policy", policy);
  headers.set("x-nonce", nonce);
  return NextResponse.next({ request: { headers }, headers: { "content-security-policy": policy } });
}

/**
 * Not for /api, which checks for itself: what passes here has its body buffered, and cut off at 10 MB without
 * a word. Not for the probes, which orchestrators call by address.
 */
export const config = { matcher: ["/((?!api/|healthz$|readyz$|_next/static/).*)"] };
