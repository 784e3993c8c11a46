import { type Dispatcher, errors } from "undici";
import type { ConnectPhases } from "./connector.ts";
import { keptBodyBytes } from "./limits.ts";
import type { Connection, OriginPool } from "./origin-pool.ts";
import type { SendTimings, Sent } from "./send.ts";

/** Reading on a little past what is kept saves the connection; a longer body costs it. */
const readBodyBytes = 256 * 1_024;

/** Later than so, a connection that breaks is one whose server may have begun to work on the request. */
const deadWithinMs = 1_000;

/** What undici reports when the other side is found to have gone. */
const deadConnectionCodes = new Set(["UND_ERR_SOCKET", "ECONNRESET", "EPIPE"]);

const emptyBody = Buffer.alloc(0);
const noPhases: ConnectPhases = { dnsMs: null, connectMs: null, tlsMs: null };

export type ExchangeOptions = {
  request: Dispatcher.DispatchOptions;
  pool: OriginPool;
  /** By `performance.now()`. */
  startedAt: number;
  timeoutMs: number;
  /** Called once. */
  onSettled: (sent: Sent) => void;
};

/** One request and its response, as undici's handler. A class because one is made for every request. */
export class Exchange implements Dispatcher.DispatchHandler {
  isSettled = false;
  readonly #options: ExchangeOptions;
  readonly #timer: NodeJS.Timeout;
  #connection: Connection | null = null;
  #controller: Dispatcher.DispatchController | null = null;
  #phases = noPhases;
  #onUsedConnection = false;
  #writtenAt = 0;
  #triedAgain = false;
  #firstByteAt = 0;
  #status = 0;
  #headers: string[] = [];
  #body: Buffer = emptyBody;
  #bodyBytes = 0;

  constructor(options: ExchangeOptions) {
    this.#options = options;
    // Under 1 us to set and clear: no cause for a clock of our own.
    this.#timer = setTimeout(expire, options.timeoutMs, this);
  }

  start(connection: Connection): void {
    this.#connection = connection;
    connection.dispatch(this.#options.request, this);
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    const connection = this.#connection as Connection;
    this.#phases = connection.phases ?? noPhases;
    connection.phases = null;
    // Thrown here, it is dropped and the connection stays; aborting would close the connection.
    if (this.isSettled) throw new Error("Expired before it could be sent");
    this.#controller = controller;
    this.#onUsedConnection = connection.written > 0;
    this.#writtenAt = performance.now();
    connection.written += 1;
  }

  onResponseStarted(): void {
    if (this.#firstByteAt === 0) this.#firstByteAt = performance.now();
  }

  onResponseStart(controller: Dispatcher.DispatchController, status: number): void {
    if (status < 200) return;
    this.#status = status;
    this.#headers = (controller.rawHeaders as Buffer[]).map((part) => part.toString("latin1"));
  }

  onResponseData(controller: Dispatcher.DispatchController, chunk: Buffer): void {
    const keptBytes = Math.min(this.#bodyBytes, keptBodyBytes);
    if (keptBytes < keptBodyBytes) this.#body = append(this.#body, keptBytes, chunk);
    this.#bodyBytes += chunk.length;
    if (this.#bodyBytes > readBodyBytes) {
      this.#succeed();
      controller.abort(new Error("The rest of the response is not wanted"));
    }
  }

  onResponseEnd(): void {
    this.#succeed();
    this.#release(true);
  }

  onResponseError(_controller: Dispatcher.DispatchController | null, error: Error): void {
    const hasStarted = this.#controller !== null;
    if (this.isSettled) {
      // Expired before it was written: nothing is wrong with the connection. Cut off later: it is closed.
      this.#release(!hasStarted);
      return;
    }
    if (this.#metDeadConnection(error)) {
      this.#triedAgain = true;
      this.#controller = null;
      // Not before undici is through with the old connection.
      queueMicrotask(() => this.start(this.#connection as Connection));
      return;
    }
    if (!hasStarted) this.#phases = this.#connection?.phases ?? noPhases;
    this.#fail(errorCode(error), errorDetail(error));
    this.#release(false);
  }

  expire(): void {
    const waitedFor =
      this.#controller === null
        ? "a connection"
        : this.#status === 0
          ? "the response"
          : "the rest of the response";
    const detail = `Timed out after ${this.#options.timeoutMs} ms, waiting for ${waitedFor}`;
    this.#fail("POSTHORN_TIMEOUT", detail);
    this.#controller?.abort(new Error(detail));
  }

  /** As far as can be told, the server had closed the connection before the request came: it says so at once. */
  #metDeadConnection(error: Error): boolean {
    return (
      this.#controller !== null &&
      this.#onUsedConnection &&
      this.#firstByteAt === 0 &&
      !this.#triedAgain &&
      performance.now() - this.#writtenAt < deadWithinMs &&
      deadConnectionCodes.has(errorCode(error))
    );
  }

  #succeed(): void {
    const bodyBytes = Math.min(this.#bodyBytes, keptBodyBytes);
    this.#settle({
      ok: true,
      status: this.#status,
      headers: this.#headers,
      body: bodyBytes === this.#body.length ? this.#body : this.#body.subarray(0, bodyBytes),
      bodyTruncated: this.#bodyBytes > keptBodyBytes,
      timings: this.#timings(),
    });
  }

  #fail(code: string, detail: string): void {
    this.#settle({
      ok: false,
      errorCode: code,
      errorDetail: detail,
      ...(this.#status === 0 ? {} : { status: this.#status }),
      timings: this.#timings(),
    });
  }

  #release(isUsable: boolean): void {
    if (this.#connection) this.#options.pool.release(this.#connection, isUsable);
  }

  #settle(sent: Sent): void {
    if (this.isSettled) return;
    this.isSettled = true;
    clearTimeout(this.#timer);
    this.#options.onSettled(sent);
  }

  #timings(): SendTimings {
    const { startedAt } = this.#options;
    return {
      dnsMs: this.#phases.dnsMs,
      connectMs: this.#phases.connectMs,
      tlsMs: this.#phases.tlsMs,
      firstByteMs: this.#firstByteAt === 0 ? null : this.#firstByteAt - startedAt,
      totalMs: performance.now() - startedAt,
    };
  }
}

function expire(exchange: Exchange): void {
  exchange.expire();
}

/**
 * Puts a chunk behind the first `usedBytes` of a buffer, up to what is kept. A first chunk is taken as it is;
 * more are copied, since a body may drip in and each chunk would hold a buffer of its own.
 */
function append(buffer: Buffer, usedBytes: number, chunk: Buffer): Buffer {
  const neededBytes = Math.min(usedBytes + chunk.length, keptBodyBytes);
  if (usedBytes === 0) return chunk.length > neededBytes ? chunk.subarray(0, neededBytes) : chunk;
  const roomy =
    buffer.length >= neededBytes ? buffer : Buffer.allocUnsafe(Math.min(neededBytes * 2, keptBodyBytes));
  if (roomy !== buffer) buffer.copy(roomy, 0, 0, usedBytes);
  chunk.copy(roomy, usedBytes, 0, neededBytes - usedBytes);
  return roomy;
}

/** The transport's own code; the error's name where it has none. undici loses which code its parser gave. */
export function errorCode(error: Error): string {
  const { code } = error as NodeJS.ErrnoException;
  if (typeof code === "string" && code !== "") return code;
  return error instanceof errors.HTTPParserError ? "HPE_UNKNOWN" : error.name;
}

/** What the error says, cut short; none of undici's, Node.js's or ours repeats a header or a body. */
export function errorDetail(error: Error): string {
  const messages =
    error instanceof AggregateError ? error.errors.map((each) => each.message) : [error.message];
  return messages.join("; ").slice(0, 500);
}
