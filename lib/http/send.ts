import { errors } from "undici";
import { type ConnectPhases, createConnector, type Lookup } from "./connector.ts";
import { Exchange, errorCode, errorDetail } from "./exchange.ts";
import { connectTimeoutMs } from "./limits.ts";
import { createOriginPool, type OriginPool } from "./origin-pool.ts";

export type SendRequest = {
  /** As checkEndpointUrl returns it; what follows the host is sent as it is. */
  url: string;
  method?: string;
  /** Alternating names and values, or an object. Host and Content-Length are added. */
  headers: string[] | Record<string, string>;
  /** Null for none, as in a GET. */
  body: Buffer | null;
  /** For everything: connection, request, and the whole response. */
  timeoutMs: number;
};

/** Milliseconds. The first three are null when the request went over a connection that was already open. */
export type SendTimings = ConnectPhases & { firstByteMs: number | null; totalMs: number };

export type Sent =
  | {
      ok: true;
      status: number;
      /** Alternating names and values as they came, each byte one character (latin1). */
      headers: string[];
      body: Buffer;
      bodyTruncated: boolean;
      timings: SendTimings;
    }
  | {
      ok: false;
      /** The transport's own code, or POSTHORN_TIMEOUT, POSTHORN_BLOCKED_ADDRESS, POSTHORN_TLS_INTERRUPTED. */
      errorCode: string;
      errorDetail: string;
      /** Set when the headers had come. */
      status?: number;
      timings: SendTimings;
    };

export type Sender = {
  send(request: SendRequest): Promise<Sent>;
  /** Drops all connections; what is still under way ends with UND_ERR_DESTROYED. */
  close(): Promise<void>;
};

export type SenderOptions = {
  /** CIDR subnets that may be reached though they are not public. */
  allowedSubnets: readonly string[];
  /** Origins to keep connections to. */
  maxPools?: number;
  connectionsPerOrigin?: number;
  /** Stands in for `dns.lookup`. */
  lookup?: Lookup;
};

type PoolEntry = { pool: OriginPool; usedAt: number };

/**
 * Makes what sends requests: HTTP/1.1 over kept connections, only to addresses that may be reached, without
 * following redirects or decompressing, keeping at most 64 KiB of a response. `send` does not reject for
 * anything that a remote can do. A request that finds its kept connection closed by the server, before a byte
 * of a response came, is tried once more at once, over a new one and within the same timeout.
 */
export function createSender(options: SenderOptions): Sender {
  const { allowedSubnets, maxPools = 1_024, connectionsPerOrigin = 256, lookup } = options;
  const connector = createConnector({
    allowedSubnets,
    timeoutMs: connectTimeoutMs,
    ...(lookup ? { lookup } : {}),
  });
  const pools = new Map<string, PoolEntry>();
  let closed = false;

  const entryFor = (origin: string): PoolEntry => {
    const known = pools.get(origin);
    if (known) return known;
    if (pools.size >= maxPools) closeLeastRecentlyUsed(pools);
    const added = { pool: createOriginPool({ origin, limit: connectionsPerOrigin, connector }), usedAt: 0 };
    pools.set(origin, added);
    return added;
  };

  const start = (
    { url, method = "POST", headers, body, timeoutMs }: SendRequest,
    onSettled: (sent: Sent) => void,
  ) => {
    const startedAt = performance.now();
    const { origin, path } = splitUrl(url);
    const entry = entryFor(origin);
    entry.usedAt = startedAt;
    const request = { path, method, headers, body };
    entry.pool.dispatch(new Exchange({ request, pool: entry.pool, startedAt, timeoutMs, onSettled }));
  };

  return {
    send: (request) =>
      new Promise((resolve) => {
        if (closed) return resolve(notStarted(new errors.ClientDestroyedError("The sender is closed")));
        try {
          start(request, resolve);
        } catch (error) {
          resolve(notStarted(error as Error));
        }
      }),
    close: async () => {
      closed = true;
      connector.abort();
      await Promise.all(Array.from(pools.values(), ({ pool }) => pool.destroy()));
      pools.clear();
    },
  };
}

/** What follows the host goes out byte for byte, so the URL is cut and not parsed. */
function splitUrl(url: string): { origin: string; path: string } {
  const hostAt = url.indexOf("://") + 3;
  const slashAt = url.indexOf("/", hostAt);
  if (slashAt === -1) return { origin: url, path: "/" };
  return { origin: url.slice(0, slashAt), path: url.slice(slashAt) };
}

/** Pools with requests under way stay, so there may for a while be more than the limit. */
function closeLeastRecentlyUsed(pools: Map<string, PoolEntry>): void {
  let oldestOrigin: string | null = null;
  let oldest: PoolEntry | null = null;
  for (const [origin, entry] of pools) {
    if (!entry.pool.isIdle() || (oldest && entry.usedAt >= oldest.usedAt)) continue;
    oldestOrigin = origin;
    oldest = entry;
  }
  if (oldestOrigin === null || oldest === null) return;
  pools.delete(oldestOrigin);
  oldest.pool.destroy().catch(() => {});
}

function notStarted(error: Error): Sent {
  const timings = { dnsMs: null, connectMs: null, tlsMs: null, firstByteMs: null, totalMs: 0 };
  return { ok: false, errorCode: errorCode(error), errorDetail: errorDetail(error), timings };
}
