import { z } from "zod";

/** The token of a link as lib/auth/link-token.ts makes it; `of` is what the link is: "an invitation". */
export function linkToken(of: string) {
  return z.string().regex(/^[A-Za-z0-9_-]{43}$/, `must be the token of ${of}`);
}
