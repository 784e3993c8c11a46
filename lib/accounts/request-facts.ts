import { addressHeader, type CallOrigin } from "#lib/auth/actor.ts";

/** What of a request better-auth reads: its cookies, and where it came from. */
export type RequestFacts = { cookie: string | null; from: CallOrigin };

export function headersOf({ cookie, from: { address, userAgent } }: RequestFacts): Headers {
  return new Headers({
    ...(cookie === null ? {} : { cookie }),
    ...(address === null ? {} : { [addressHeader]: address }),
    ...(userAgent === null ? {} : { "user-agent": userAgent }),
  });
}
