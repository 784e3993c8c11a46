import { config, secretKeys } from "#lib/config.ts";
import { Problem } from "#lib/errors.ts";
import { createRequestMaker } from "#lib/http/attempt-request.ts";
import { createSender, type Sender } from "#lib/http/send.ts";

/** What the web process keeps for tests: one sender, the endpoints' keys, and how many are under way. */
type Live = {
  sender: Sender;
  makeRequest: ReturnType<typeof createRequestMaker>;
  underWay: number;
};

const maxAtOnce = 10;
const retryAfterSeconds = 5;

// On globalThis, since routes are bundled apart from each other, each with a copy of this module.
const holder = globalThis as { posthornLiveTests?: Live };

/** Made at first use. Throws when POSTHORN_SECRET_KEY is not set. */
export function liveTests(): Live {
  holder.posthornLiveTests ??= {
    sender: createSender({
      allowedSubnets: config().allowedSubnets,
      maxPools: 2 * maxAtOnce,
      connectionsPerOrigin: maxAtOnce,
    }),
    makeRequest: createRequestMaker(secretKeys()),
    underWay: 0,
  };
  return holder.posthornLiveTests;
}

/** Drops the sender's connections, for a clean exit of the process or a test. */
export async function closeLiveTests(): Promise<void> {
  const open = holder.posthornLiveTests;
  delete holder.posthornLiveTests;
  await open?.sender.close();
}

/** Runs one of the few live tests that a process makes at once; 429 when all are under way. */
export async function inSlot<T>(run: () => Promise<T>): Promise<T> {
  const live = liveTests();
  if (live.underWay >= maxAtOnce) {
    throw new Problem("too_many_requests", `At most ${maxAtOnce} tests are sent at once`, [], {
      retryAfterSeconds,
    });
  }
  live.underWay += 1;
  try {
    return await run();
  } finally {
    live.underWay -= 1;
  }
}
