import { randomBytes } from "node:crypto";
import { type NextRequest, NextResponse } from "next/server";
import { pagePolicy } from "#lib/api/security-headers.ts";
import { isServedHost } from "#lib/auth/browser-guard.ts";
import { pathHeader } from "#lib/auth/local-path.ts";

/**
 * Refuses pages under a foreign host name: a page elsewhere that has its own name resolved to this machine must not get
 * at the console. Gives every other page the policy that its scripts must fit, and the rendering the nonce for them:
 * Next.js takes it out of the policy; and its own path, which sign-in comes back to.
 */
export async function proxy(request: NextRequest): Promise<Response> {
  if (!(await isServedHost(request.headers.get("host")))) {
    return new Response("The console answers under its own origin, localhost, 127.0.0.1 and [::1] only.\n", {
      status: 403,
      headers: { "content-type": "text/plain; charset=utf-8", "cache-control": "no-store" },
    });
  }
  const nonce = randomBytes(16).toString("base64");
  const policy = pagePolicy({ nonce, isDevelopment: process.env.NODE_ENV === "development" });
  const headers = new Headers(request.headers);
  headers.set("content-security-policy", policy);
  headers.set("x-nonce", nonce);
  headers.set(pathHeader, request.nextUrl.pathname + request.nextUrl.search);
  return NextResponse.next({ request: { headers }, headers: { "content-security-policy": policy } });
}

/**
 * Not for /api, which checks for itself: what passes here has its body buffered, and cut off at 10 MB without
 * a word. Not for the probes, which orchestrators call by address.
 */
export const config = { matcher: ["/((?!api/|healthz$|readyz$|_next/static/).*)"] };
