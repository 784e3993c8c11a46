import type { CallOrigin } from "#lib/auth/actor.ts";
import { betterAuthInstance, isRefusal, oidcProvider } from "#lib/auth/better-auth.ts";
import { localPath } from "#lib/auth/local-path.ts";
import { findSession, sessionToken } from "#lib/auth/session.ts";
import { config } from "#lib/config.ts";
import { appDatabase } from "#lib/db/app.ts";
import { notFound, Problem } from "#lib/errors.ts";
import { networkOf } from "./network.ts";
import { recordOpened } from "./record-sign-in.ts";
import { headersOf, type RequestFacts } from "./request-facts.ts";
import type { SingleSignOnReturn, SingleSignOnStart } from "./schema.ts";
import { countUse } from "./throttle.ts";

/** Within 15 minutes, from one address. */
const maxStarts = 100;
const failedPath = "/sign-in?failed=single-sign-on";

/** Whether the deployment names an identity provider. */
export function hasSingleSignOn(): boolean {
  return config().oidc !== undefined;
}

/**
 * Where the identity provider asks who it is, and the cookie that the answer must come back with. 404 where none is
 * configured, 429 after too many, 503 while it cannot be reached.
 */
export async function beginSingleSignOn(
  from: CallOrigin,
  { next }: SingleSignOnStart,
): Promise<{ url: string; cookies: string[] }> {
  if (!hasSingleSignOn()) throw notFound("way to sign in");
  const detail = "Too many tries to sign in; wait before the next one";
  await countUse(appDatabase().pool, { of: ["oidc", networkOf(from.address)], max: maxStarts, detail });
  const { headers, response } = await betterAuthInstance()
    .api.signInSocial({
      body: {
        provider: oidcProvider,
        callbackURL: localPath(next),
        errorCallbackURL: failedPath,
        disableRedirect: true,
      },
      headers: headersOf({ cookie: null, from }),
      returnHeaders: true,
    })
    .catch((error: unknown) => {
      if (!isRefusal(error)) throw error;
      throw new Problem("provider_unavailable", "It did not say where to sign in; try again later");
    });
  return { url: response.url ?? "", cookies: headers.getSetCookie() };
}

/**
 * The way back: signs in the one of the staff whose verified address the identity provider names, and nobody else. Where
 * to go on to: what was wanted, or the sign-in page, which says that it failed.
 */
export async function endSingleSignOn(
  request: RequestFacts,
  query: SingleSignOnReturn,
): Promise<{ path: string; cookies: string[] }> {
  if (!hasSingleSignOn()) throw notFound("way to sign in");
  const { code, state, error, iss } = query;
  const given = Object.entries({ code, state, error, iss }).filter(([, value]) => value !== undefined);
  const response = await betterAuthInstance().api.callbackOAuth({
    params: { id: oidcProvider },
    query: Object.fromEntries(given),
    headers: headersOf(request),
    method: "GET",
    asResponse: true,
  });
  const cookies = response.headers.getSetCookie();
  const cookie = cookies.map((one) => one.split(";")[0]).join("; ");
  const actor = await findSession(headersOf({ ...request, cookie }));
  const token = await sessionToken(cookie);
  if (!actor || token === null) return { path: failedPath, cookies };
  await recordOpened(token, { user: actor, request, how: { single_sign_on: true } });
  return { path: localPath(response.headers.get("location")), cookies };
}
