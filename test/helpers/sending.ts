import type { Socket } from "node:net";
import { afterEach, beforeEach, expect } from "vitest";
import type { Lookup } from "#lib/http/connector.ts";
import {
  createSender,
  type Sender,
  type SenderOptions,
  type SendRequest,
  type Sent,
} from "#lib/http/send.ts";
import { type Receiver, type ReceiverOptions, startReceiver } from "./receiver.ts";
import { startTcpServer } from "./tcp-server.ts";
import { allowedSubnets } from "./worker-process.ts";

export type Sending = {
  /** What sends unless a test says otherwise; a test may put another in its place. */
  sender: Sender;
  receiver: Receiver;
  newSender: (options?: Partial<SenderOptions>) => Sender;
  newReceiver: (options?: ReceiverOptions) => Promise<Receiver>;
  /** Returns the port. */
  newServer: (onConnection: (socket: Socket) => void) => Promise<number>;
  sendOk: (url: string, rest?: Partial<SendRequest>) => Promise<Extract<Sent, { ok: true }>>;
  sendFailing: (
    url: string,
    rest?: Partial<SendRequest>,
    by?: Sender,
  ) => Promise<Extract<Sent, { ok: false }>>;
  /** Closes what was made last, before the test ends. */
  closeLast: () => Promise<void>;
};

const request = (url: string, rest: Partial<SendRequest> = {}): SendRequest => ({
  url,
  headers: ["content-type", "application/json", "x-canary", "secret-value"],
  body: Buffer.from('{"payout":"12.50"}'),
  timeoutMs: 5_000,
  ...rest,
});

/** A sender and a receiver for each test; they and whatever else the test makes are closed after it. */
export function setUpSending(): Sending {
  const closers: (() => Promise<unknown>)[] = [];
  const newSender = (options: Partial<SenderOptions> = {}) => {
    const made = createSender({ allowedSubnets, ...options });
    closers.push(() => made.close());
    return made;
  };
  const newReceiver = async (options?: ReceiverOptions) => {
    const made = await startReceiver(options);
    closers.push(() => made.close());
    return made;
  };
  const sending = {
    newSender,
    newReceiver,
    newServer: async (onConnection) => {
      const { port, close } = await startTcpServer(onConnection);
      closers.push(close);
      return port;
    },
    sendOk: async (url, rest) => {
      const sent = await sending.sender.send(request(url, rest));
      if (!sent.ok) throw new Error(`${sent.errorCode}: ${sent.errorDetail}`);
      return sent;
    },
    sendFailing: async (url, rest, by = sending.sender) => {
      const sent = await by.send(request(url, rest));
      if (sent.ok) throw new Error(`Unexpected status ${sent.status}`);
      expect(sent.errorDetail).not.toMatch(/secret-value|12\.50/);
      return sent;
    },
    closeLast: async () => void (await closers.pop()?.()),
  } as Sending;
  beforeEach(async () => {
    sending.sender = newSender();
    sending.receiver = await newReceiver();
  });
  afterEach(async () => {
    for (const close of closers.splice(0).reverse()) await close();
  });
  return sending;
}

/** Answers every name with the next of these lists, the last for ever. */
export function lookupOf(...answers: string[][]): Lookup {
  return (_hostname, _options, callback) => {
    const addresses = answers.length > 1 ? answers.shift() : answers[0];
    setImmediate(() =>
      callback(
        null,
        (addresses ?? []).map((address) => ({ address, family: address.includes(":") ? 6 : 4 })),
      ),
    );
  };
}
