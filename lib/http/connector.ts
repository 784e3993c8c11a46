import { type LookupAddress, lookup as systemLookup } from "node:dns";
import { connect as connectTcp, isIP, type Socket, type TcpNetConnectOpts } from "node:net";
import { connect as connectTls } from "node:tls";
import { errors } from "undici";
import { isAllowedAddress, isForbiddenHost } from "./address-guard.ts";

/** How long each phase of opening a connection took; null where it did not happen or did not end. */
export type ConnectPhases = { dnsMs: number | null; connectMs: number | null; tlsMs: number | null };

export type Lookup = (
  hostname: string,
  options: { all: true },
  callback: (error: NodeJS.ErrnoException | null, addresses: LookupAddress[]) => void,
) => void;

export type ConnectTarget = { hostname: string; port: string; protocol: string };
export type ConnectCallback = (error: Error | null, socket: Socket | null, phases: ConnectPhases) => void;

export type Connector = {
  connect(target: ConnectTarget, callback: ConnectCallback): void;
  /** Ends every attempt that is still under way. */
  abort(): void;
};

export type ConnectorOptions = {
  allowedSubnets: readonly string[];
  /** For name, TCP and TLS together. */
  timeoutMs: number;
  lookup?: Lookup;
};

/** With several addresses, how long one of them may take before the next is tried. */
const addressTimeoutMs = 1_000;

/**
 * Opens sockets for undici, only to addresses that isAllowedAddress lets pass. A name is looked up once and
 * the connection goes to the very addresses that were checked, so a name cannot change in between; one
 * forbidden address among several refuses them all (code POSTHORN_BLOCKED_ADDRESS).
 */
export function createConnector({
  allowedSubnets,
  timeoutMs,
  lookup = systemLookup,
}: ConnectorOptions): Connector {
  const resolve = createResolver(lookup);
  const underWay = new Set<(error: Error) => void>();

  const connect = (target: ConnectTarget, callback: ConnectCallback) => {
    const phases: ConnectPhases = { dnsMs: null, connectMs: null, tlsMs: null };
    let socket: Socket | null = null;
    let ended = false;
    let phaseStartedAt = performance.now();
    const endPhase = (phase: keyof ConnectPhases) => {
      const now = performance.now();
      phases[phase] = now - phaseStartedAt;
      phaseStartedAt = now;
    };
    const end = () => {
      ended = true;
      clearTimeout(timer);
      underWay.delete(fail);
    };
    const fail = (error: Error) => {
      if (ended) return;
      end();
      socket?.destroy();
      callback(error, null, phases);
    };
    const timer = setTimeout(
      () => fail(new errors.ConnectTimeoutError(`No connection within ${timeoutMs} ms`)),
      timeoutMs,
    );
    underWay.add(fail);

    if (isForbiddenHost(target.hostname, allowedSubnets)) {
      // undici does not expect an answer before its call has returned.
      queueMicrotask(() => fail(blockedAddress(target.hostname)));
      return;
    }
    resolve(target.hostname, (error, addresses) => {
      if (ended) return;
      if (isIP(target.hostname) === 0) endPhase("dnsMs");
      if (error) return fail(error);
      const forbidden = addresses.find(({ address }) => !isAllowedAddress(address, allowedSubnets));
      if (forbidden) return fail(blockedAddress(target.hostname, forbidden.address));

      const isTls = target.protocol === "https:";
      const opening = openSocket(target, addresses);
      socket = opening;
      opening.on("error", (cause) =>
        fail(isTls && phases.connectMs !== null ? handshakeError(cause) : cause),
      );
      if (isTls) opening.once("connect", () => endPhase("connectMs"));
      opening.once(isTls ? "secureConnect" : "connect", () => {
        if (ended) return;
        endPhase(isTls ? "tlsMs" : "connectMs");
        end();
        callback(null, opening, phases);
      });
    });
  };

  return {
    connect,
    abort: () => {
      for (const fail of underWay) fail(new errors.ClientDestroyedError());
    },
  };
}

/**
 * One lookup at a time per name, shared by all who wait for it: the system's resolver has few threads, and a
 * name server that hangs for one name must not take them all.
 */
function createResolver(lookup: Lookup) {
  type Waiter = Parameters<Lookup>[2];
  const waiting = new Map<string, Waiter[]>();

  return (hostname: string, waiter: Waiter) => {
    const family = isIP(hostname);
    if (family !== 0) {
      queueMicrotask(() => waiter(null, [{ address: hostname, family }]));
      return;
    }
    const others = waiting.get(hostname);
    if (others) {
      others.push(waiter);
      return;
    }
    waiting.set(hostname, [waiter]);
    lookup(hostname, { all: true }, (error, addresses) => {
      const waiters = waiting.get(hostname) ?? [];
      waiting.delete(hostname);
      for (const each of waiters) each(error, addresses);
    });
  };
}

function openSocket({ hostname, port, protocol }: ConnectTarget, addresses: LookupAddress[]): Socket {
  const isTls = protocol === "https:";
  const [first] = addresses;
  const options: TcpNetConnectOpts = {
    host: hostname,
    port: Number(port) || (isTls ? 443 : 80),
    noDelay: true,
    keepAlive: true,
    keepAliveInitialDelay: 60_000,
    autoSelectFamily: addresses.length > 1,
    autoSelectFamilyAttemptTimeout: addressTimeoutMs,
    lookup: (_hostname, { all }, callback) => {
      if (all) callback(null, addresses);
      else callback(null, first?.address ?? "", first?.family);
    },
  };
  if (!isTls) return connectTcp(options);
  return connectTls({
    ...options,
    // RFC 6066: a server name is a DNS name, without the trailing dot.
    ...(isIP(hostname) === 0 ? { servername: hostname.replace(/\.$/, "") } : {}),
    ALPNProtocols: ["http/1.1"],
    rejectUnauthorized: true,
  });
}

function blockedAddress(hostname: string, address?: string): Error {
  const subject = address === undefined ? hostname : `${hostname} resolves to ${address}, which`;
  return Object.assign(new Error(`${subject} lies in a network that is not allowed`), {
    code: "POSTHORN_BLOCKED_ADDRESS",
  });
}

/** A connection cut between TCP and TLS has a code of its own: as ECONNRESET it would look like any other. */
function handshakeError(cause: NodeJS.ErrnoException): Error {
  if (cause.code !== "ECONNRESET" && cause.code !== "EPIPE") return cause;
  return Object.assign(new Error("The connection was closed during the TLS handshake", { cause }), {
    code: "POSTHORN_TLS_INTERRUPTED",
  });
}
