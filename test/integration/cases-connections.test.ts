import type { Socket } from "node:net";
import { getCACertificates, setDefaultCACertificates } from "node:tls";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { attemptSentence } from "#lib/deliveries/words.ts";
import type { Lookup } from "#lib/http/connector.ts";
import { setUpApi } from "#test/helpers/api.ts";
import { makeCertificate } from "#test/helpers/certificates.ts";
import { createEndpoint, publish, type TestEndpoint } from "#test/helpers/factories.ts";
import { type Receiver, type ReceiverOptions, startReceiver } from "#test/helpers/receiver.ts";
import { startForgetfulServer, startTcpServer } from "#test/helpers/tcp-server.ts";
import { eventually, startWorker } from "#test/helpers/workers.ts";
import * as delivery from "../../app/api/v1/deliveries/[id]/route.ts";

/** What comes of connections, kept, broken, refused and forbidden: cases 10, 11 and 14 through the pipeline. */
const api = setUpApi();
let closers: (() => Promise<unknown>)[] = [];
let receiver: Receiver;

beforeEach(async () => {
  // What earlier tests left to be retried would open connections of its own.
  await api.database.pool.query("update posthorn.endpoint_health set ready_at = 'infinity'");
  receiver = await newReceiver();
});
afterEach(async () => {
  for (const close of closers.reverse()) await close();
  closers = [];
});

async function newReceiver(options?: ReceiverOptions): Promise<Receiver> {
  const made = await startReceiver(options);
  closers.push(() => made.close());
  return made;
}

/** Returns the port. */
async function newServer(onConnection: (socket: Socket) => void): Promise<number> {
  const { port, close } = await startTcpServer(onConnection);
  closers.push(close);
  return port;
}

/** Answers each name with the next of its addresses, the last for ever; counts how often it was asked. */
function namesOf(names: Record<string, string[][]>): { lookup: Lookup; asked: Map<string, number> } {
  const asked = new Map<string, number>();
  const lookup: Lookup = (hostname, _options, callback) => {
    const times = asked.get(hostname) ?? 0;
    asked.set(hostname, times + 1);
    const addresses = names[hostname];
    const answer = addresses?.[Math.min(times, addresses.length - 1)];
    setImmediate(() => {
      if (answer)
        callback(
          null,
          answer.map((address) => ({ address, family: address.includes(":") ? 6 : 4 })),
        );
      else callback(Object.assign(new Error(`getaddrinfo ENOTFOUND ${hostname}`), { code: "ENOTFOUND" }), []);
    });
  };
  return { lookup, asked };
}

const endpointAt = (url: string) => createEndpoint(api.database.pool, { url });
const send = (to: TestEndpoint) => publish(api.database.pool, { affiliate: to.affiliateKey });

/** The endpoint's deliveries as the API shows them, once none waits for its first attempt or is under way. */
async function ended(of: TestEndpoint, count: number) {
  return eventually(async () => {
    const { rows } = await api.database.pool.query(
      "select id, state from posthorn.deliveries where endpoint_id = $1 order by id",
      [of.id],
    );
    if (rows.length < count || rows.some(({ state }) => state === "pending" || state === "in_flight"))
      return null;
    const all = await Promise.all(rows.map(({ id }) => api.call(delivery.GET, { params: { id } })));
    return all.map(({ body }) => body);
  });
}

async function sendAndEnd(to: TestEndpoint) {
  await send(to);
  const [shown] = await ended(to, 1);
  return shown;
}

async function failuresOf(of: TestEndpoint): Promise<number> {
  const { rows } = await api.database.pool.query(
    "select consecutive_failures as n from posthorn.endpoint_health where endpoint_id = $1",
    [of.id],
  );
  return rows[0].n;
}

describe("case 10: the server had closed the kept connection", () => {
  test("one instant second try on a fresh one, inside the same attempt; no failure is charged", async () => {
    await startWorker(api.database.url);
    receiver.script("/hook", {}, { reset: true }, { body: "second" });
    const to = await endpointAt(receiver.url("/hook"));
    await sendAndEnd(to);
    await send(to);
    const shown = await ended(to, 2);
    expect(shown.map(({ state, attempts_charged }) => [state, attempts_charged])).toEqual([
      ["delivered", 1],
      ["delivered", 1],
    ]);
    expect(shown[1].attempts).toMatchObject([{ number: 1, outcome: "delivered", response_body: "second" }]);
    expect(receiver.requests().map(({ socketId }) => socketId)).toEqual([1, 1, 2]);
    expect(await failuresOf(to)).toBe(0);
  });

  test("also when it was closed in good order", async () => {
    await startWorker(api.database.url);
    const forgetful = await startForgetfulServer();
    closers.push(forgetful.close);
    const to = await endpointAt(`http://127.0.0.1:${forgetful.port}/`);
    await sendAndEnd(to);
    await send(to);
    expect((await ended(to, 2)).map(({ attempts }) => attempts.length)).toEqual([1, 1]);
    expect(forgetful.connections()).toBe(2);
    expect(await failuresOf(to)).toBe(0);
  });

  test.each([
    ["a byte of a response had come", [{}, { raw: "H" }, { body: "never" }], 2],
    ["the fresh one is broken too", [{}, { reset: true }, { reset: true }, { body: "never" }], 3],
  ] as const)("but not when %s: that is a failure, and charged", async (_what, steps, requests) => {
    await startWorker(api.database.url);
    receiver.script("/hook", ...steps);
    const to = await endpointAt(receiver.url("/hook"));
    await sendAndEnd(to);
    await send(to);
    const shown = (await ended(to, 2))[1];
    expect(shown).toMatchObject({ state: "failed", reason: "connection_reset", attempts_charged: 1 });
    expect(shown.attempts).toHaveLength(1);
    expect(receiver.requests()).toHaveLength(requests);
    expect(await failuresOf(to)).toBe(1);
  });

  test("nor on a connection that was never used before", async () => {
    await startWorker(api.database.url);
    receiver.script("/hook", { reset: true }, { body: "never" });
    const to = await endpointAt(receiver.url("/hook"));
    expect(await sendAndEnd(to)).toMatchObject({ state: "failed", reason: "connection_reset" });
    expect(receiver.requests()).toHaveLength(1);
  });
});

describe("case 11: faults of a connection", () => {
  const authority = makeCertificate({ commonName: "Test authority" });
  const trusted = getCACertificates("default");
  beforeEach(() => setDefaultCACertificates([...trusted, authority.cert]));
  afterEach(() => setDefaultCACertificates(trusted));

  const names = ["127.0.0.1"];
  const past = { notBefore: new Date("2020-01-01"), notAfter: new Date("2020-02-01") };
  const sound = { commonName: "x", names, issuer: authority };
  const withCertificate = async (certificate: Parameters<typeof makeCertificate>[0]) =>
    (await newReceiver({ tls: makeCertificate(certificate) })).url("/hook");

  const network: [string, () => Promise<string>, string, string][] = [
    ["a name that is not found", async () => "http://no.example/", "dns_error", "ENOTFOUND"],
    [
      "a connection refused",
      async () => {
        const gone = await newReceiver();
        await closers.pop()?.();
        return gone.url("/hook");
      },
      "connection_refused",
      "ECONNREFUSED",
    ],
    [
      "a connection reset",
      async () => {
        receiver.script("/reset", { reset: true });
        return receiver.url("/reset");
      },
      "connection_reset",
      "ECONNRESET",
    ],
    [
      "a handshake that is cut",
      async () =>
        `https://127.0.0.1:${await newServer((socket) => socket.once("data", () => socket.destroy()))}/`,
      "tls_failed",
      "POSTHORN_TLS_INTERRUPTED",
    ],
  ];
  const certificates: [string, () => Promise<string>, string][] = [
    ["an expired certificate", () => withCertificate({ ...sound, ...past }), "CERT_HAS_EXPIRED"],
    ["a self-signed one", () => withCertificate({ commonName: "x", names }), "DEPTH_ZERO_SELF_SIGNED_CERT"],
    [
      "one for another host",
      () => withCertificate({ ...sound, names: ["other.example"] }),
      "ERR_TLS_CERT_ALTNAME_INVALID",
    ],
  ];

  test.each(network)(
    "%s is retried, and said in plain words of its own",
    async (_what, url, reason, code) => {
      await startWorker(api.database.url, { sender: namesOf({}) });
      const shown = await sendAndEnd(await endpointAt(await url()));
      expect(shown).toMatchObject({ state: "failed", reason, next_attempt_at: expect.any(String) });
      expect(shown.attempts).toMatchObject([
        { outcome: "transient", reason, error_code: code, status: null },
      ]);
      said.push(attemptSentence(shown.attempts[0]) as string);
    },
  );

  test.each(certificates)(
    "%s is not retried, and said in plain words of its own",
    async (_what, url, code) => {
      await startWorker(api.database.url);
      const shown = await sendAndEnd(await endpointAt(await url()));
      expect(shown).toMatchObject({ state: "dead_letter", reason: "certificate_invalid" });
      expect(shown.attempts).toMatchObject([{ outcome: "permanent", error_code: code, status: null }]);
      said.push(attemptSentence(shown.attempts[0]) as string);
    },
  );

  const said: string[] = [];
  test("none is said in the words of another", () => {
    expect(said).toHaveLength(network.length + certificates.length);
    expect(new Set(said).size).toBe(said.length);
  });
});

describe("case 14: addresses that may not be reached, at the time of sending", () => {
  const inText = [
    "127.0.0.1",
    "2130706433",
    "0x7f.1",
    "127.1",
    "[::1]",
    "[::ffff:127.0.0.1]",
    "[64:ff9b::a9fe:a9fe]",
    "169.254.169.254",
    "localhost",
    "localhost.",
  ];
  const names = {
    "inside.example": [["10.0.0.5"]],
    "loopback.example": [["127.0.0.1"]],
    "loopback-six.example": [["::1"]],
    "mixed.example": [["93.184.216.34", "127.0.0.1"]],
    "mixed-other-way.example": [["127.0.0.1", "93.184.216.34"]],
    "mixed-mapped.example": [["93.184.216.34", "::ffff:127.0.0.1"]],
  };

  test.each([...inText, ...Object.keys(names)])("%s: blocked_address, no retry, no socket", async (host) => {
    const six = await newReceiver({ host: "::1", port: receiver.port });
    await startWorker(api.database.url, { sender: { allowedSubnets: [], ...namesOf(names) } });
    const shown = await sendAndEnd(await endpointAt(`http://${host}:${receiver.port}/`));
    expect(shown).toMatchObject({ state: "dead_letter", reason: "blocked_address", attempts_charged: 1 });
    expect(shown.attempts).toMatchObject([{ error_code: "POSTHORN_BLOCKED_ADDRESS", connect_ms: null }]);
    expect([receiver.connections(), six.connections()]).toEqual([0, 0]);
  });

  test("a name that is allowed when it is checked and private when it is dialled: the address that was checked is dialled", async () => {
    const { lookup, asked } = namesOf({ "rebind.example": [["127.0.0.1"], ["169.254.169.254"]] });
    await startWorker(api.database.url, { sender: { lookup } });
    receiver.script("/hook", { headers: { connection: "close" } });
    const to = await endpointAt(`http://rebind.example:${receiver.port}/hook`);
    expect(await sendAndEnd(to)).toMatchObject({ state: "delivered" });
    expect(asked.get("rebind.example")).toBe(1);
    // The next connection is another check, which now finds the other address.
    await send(to);
    expect((await ended(to, 2))[1]).toMatchObject({ state: "dead_letter", reason: "blocked_address" });
    expect(receiver.connections()).toBe(1);
  });

  test.each([
    ["127.0.0.1", ["127.0.0.0/8"]],
    ["inside.example", ["127.0.0.0/8"]],
    ["[::1]", ["::1/128"]],
    ["both.example", ["127.0.0.1/32", "::1/128"]],
  ])("%s works where its subnet is allowed: %j", async (host, allowedSubnets) => {
    await newReceiver({ host: "::1", port: receiver.port });
    const known = namesOf({ "inside.example": [["127.0.0.1"]], "both.example": [["127.0.0.1", "::1"]] });
    await startWorker(api.database.url, { sender: { allowedSubnets, ...known } });
    const shown = await sendAndEnd(await endpointAt(`http://${host}:${receiver.port}/`));
    expect(shown).toMatchObject({ state: "delivered" });
  });
});
