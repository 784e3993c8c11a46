import { singleSignOnReturn, singleSignOnStart } from "#lib/accounts/schema.ts";
import { beginSingleSignOn, endSingleSignOn } from "#lib/accounts/single-sign-on.ts";
import { route } from "#lib/api/route.ts";

export const POST = route({
  auth: "visitor",
  body: singleSignOnStart,
  handler: async ({ from, body, setCookies }) => {
    const { url, cookies } = await beginSingleSignOn(from, body);
    setCookies(cookies);
    return { url };
  },
});

/** The identity provider leads the browser here. */
export const GET = route({
  auth: "visitor",
  query: singleSignOnReturn,
  redirects: true,
  handler: async ({ from, cookie, query, setCookies }) => {
    const { path, cookies } = await endSingleSignOn({ cookie, from }, query);
    setCookies(cookies);
    return path;
  },
});
