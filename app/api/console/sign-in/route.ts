import { signInRequest } from "#lib/accounts/schema.ts";
import { signIn } from "#lib/accounts/service.ts";
import { route } from "#lib/api/route.ts";

export const POST = route({
  auth: "visitor",
  body: signInRequest,
  handler: async ({ from, cookie, body, setCookies }) => {
    const { cookies, needsCode } = await signIn({ cookie, from }, body);
    setCookies(cookies);
    return needsCode ? { needs_code: true } : undefined;
  },
});
