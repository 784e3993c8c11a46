import { once } from "node:events";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import { createServer as createTlsServer } from "node:https";
import type { AddressInfo, Socket } from "node:net";

/** What to do with one request. Without any field: 200 and an empty body. */
export type ReceiverStep = {
  status?: number;
  headers?: Record<string, string | string[]>;
  body?: string | Buffer;
  /** Wait this long before anything else. */
  delayMs?: number;
  /** Never answer (with `raw`: keep the connection open after it). */
  hang?: true;
  /** Cut the connection before a byte of the answer. */
  reset?: true;
  /** Send the status and headers of a longer body, then close. */
  closeAfterHeaders?: true;
  /** Stream a body of this many bytes. */
  hugeBodyBytes?: number;
  /** Send the headers at once and then one byte every so many milliseconds, without an end. */
  dripBytePerMs?: number;
  /** Answer with this Location and, unless `status` says otherwise, 302. */
  redirectTo?: string;
  /** Write these bytes in place of an HTTP answer, then close. */
  raw?: string | Buffer;
};

export type ReceivedRequest = {
  /** As sent, query included. */
  path: string;
  method: string;
  /** Raw: alternating names and values, in the order and case they came in. */
  headers: string[];
  body: Buffer;
  /** `performance.now()` when the whole request had arrived. */
  receivedAt: number;
  /** Requests with the same number came over the same connection. */
  socketId: number;
};

type ScriptedStep = ReceiverStep | ((request: ReceivedRequest) => ReceiverStep);

export type Receiver = {
  port: number;
  url(path: string): string;
  /** Sets what the coming requests to a path meet, in order; the last step repeats. */
  script(path: string, ...steps: ScriptedStep[]): void;
  /** What came so far, oldest first; to one path (without its query) or to all. */
  requests(path?: string): ReceivedRequest[];
  /** Waits until a path has had so many requests; rejects with what did come when they do not. */
  waitFor(path: string, count: number, timeoutMs?: number): Promise<ReceivedRequest[]>;
  /** How many connections were ever accepted. */
  connections(): number;
  close(): Promise<void>;
};

export type ReceiverOptions = {
  /** Speak HTTPS with this certificate and key (PEM). */
  tls?: { cert: string; key: string };
  host?: string;
  port?: number;
  /** Remember only this many of the latest requests. */
  keepRequests?: number;
  onRequest?: (request: ReceivedRequest) => void;
};

/**
 * Starts an HTTP server on loopback that does to each request what the script of its path says, and keeps
 * what it got. A path without a script answers 200.
 */
export async function startReceiver(options: ReceiverOptions = {}): Promise<Receiver> {
  const {
    tls,
    host = "127.0.0.1",
    port: wantedPort = 0,
    keepRequests = Number.POSITIVE_INFINITY,
    onRequest,
  } = options;
  const scripts = new Map<string, ScriptedStep[]>();
  const received: ReceivedRequest[] = [];
  const waiters = new Set<() => void>();
  const sockets = new Map<Socket, number>();
  let connectionCount = 0;

  const server: Server = tls ? createTlsServer(tls) : createServer();
  server.keepAliveTimeout = 0;
  server.requestTimeout = 0;
  server.headersTimeout = 0;

  server.on("connection", (socket: Socket) => {
    connectionCount += 1;
    sockets.set(socket, connectionCount);
    socket.on("error", () => {});
    socket.once("close", () => sockets.delete(socket));
  });
  // An HTTPS server emits the decrypted socket apart from the TCP one; requests carry the decrypted one.
  server.on("secureConnection", (socket: Socket) => {
    sockets.set(socket, connectionCount);
    socket.on("error", () => {});
    socket.once("close", () => sockets.delete(socket));
  });
  server.on("request", (message, response) => {
    void readRequest(message, sockets.get(message.socket) ?? 0).then(
      (request) => {
        received.push(request);
        if (received.length > keepRequests) received.shift();
        onRequest?.(request);
        perform(nextStep(scripts.get(pathnameOf(request.path)), request), response);
        for (const check of waiters) check();
      },
      () => {},
    );
  });

  server.listen(wantedPort, host);
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  const authority = `${host.includes(":") ? `[${host}]` : host}:${port}`;

  const requests = (path?: string) =>
    path === undefined ? [...received] : received.filter((request) => pathnameOf(request.path) === path);

  return {
    port,
    url: (path) => `${tls ? "https" : "http"}://${authority}${path}`,
    script: (path, ...steps) => void scripts.set(path, steps),
    requests,
    waitFor: (path, count, timeoutMs = 5_000) =>
      new Promise((resolve, reject) => {
        const check = () => {
          const matching = requests(path);
          if (matching.length < count) return;
          waiters.delete(check);
          clearTimeout(timer);
          resolve(matching);
        };
        const timer = setTimeout(() => {
          waiters.delete(check);
          reject(
            new Error(`${path} got ${requests(path).length} of ${count} requests within ${timeoutMs} ms`),
          );
        }, timeoutMs);
        waiters.add(check);
        check();
      }),
    connections: () => connectionCount,
    close: async () => {
      const closed = once(server, "close");
      server.close();
      for (const socket of sockets.keys()) socket.destroy();
      await closed;
    },
  };
}

const pathnameOf = (path: string) => path.split("?", 1)[0] ?? path;

async function readRequest(message: IncomingMessage, socketId: number): Promise<ReceivedRequest> {
  const chunks: Buffer[] = [];
  for await (const chunk of message) chunks.push(chunk);
  return {
    path: message.url ?? "",
    method: message.method ?? "",
    headers: message.rawHeaders,
    body: Buffer.concat(chunks),
    receivedAt: performance.now(),
    socketId,
  };
}

function nextStep(steps: ScriptedStep[] | undefined, request: ReceivedRequest): ReceiverStep {
  const step = (steps && steps.length > 1 ? steps.shift() : steps?.[0]) ?? {};
  return typeof step === "function" ? step(request) : step;
}

function perform(step: ReceiverStep, response: ServerResponse): void {
  if (step.delayMs === undefined) {
    answer(step, response);
    return;
  }
  const timer = setTimeout(() => answer(step, response), step.delayMs);
  response.once("close", () => clearTimeout(timer));
}

function answer(step: ReceiverStep, response: ServerResponse): void {
  const { socket } = response;
  if (!socket) return;
  if (step.reset) {
    cut(socket);
    return;
  }
  if (step.raw !== undefined) {
    socket.write(step.raw);
    if (!step.hang) socket.end();
    return;
  }
  if (step.hang) return;

  const status = step.status ?? (step.redirectTo === undefined ? 200 : 302);
  const headers = {
    ...step.headers,
    ...(step.redirectTo === undefined ? {} : { location: step.redirectTo }),
  };
  if (step.closeAfterHeaders) {
    response.writeHead(status, { ...headers, "content-length": "1000" });
    response.flushHeaders();
    // Let the headers leave first: ending the socket sends what is queued, and then FIN.
    socket.end();
    return;
  }
  response.writeHead(status, headers);
  if (step.hugeBodyBytes !== undefined) {
    streamBody(response, step.hugeBodyBytes);
  } else if (step.dripBytePerMs !== undefined) {
    response.flushHeaders();
    const timer = setInterval(() => response.write("."), step.dripBytePerMs);
    response.once("close", () => clearInterval(timer));
  } else {
    response.end(step.body ?? "");
  }
}

/** RST where the platform lets us; a TLS connection can only be dropped. */
function cut(socket: Socket): void {
  if ("encrypted" in socket) socket.destroy();
  else socket.resetAndDestroy();
}

function streamBody(response: ServerResponse, totalBytes: number): void {
  const chunk = Buffer.alloc(65_536, "x");
  let leftBytes = totalBytes;
  const write = () => {
    while (leftBytes > 0) {
      const part = leftBytes < chunk.length ? chunk.subarray(0, leftBytes) : chunk;
      leftBytes -= part.length;
      if (!response.write(part)) {
        response.once("drain", write);
        return;
      }
    }
    response.end();
  };
  write();
}
