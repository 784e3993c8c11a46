import { once } from "node:events";
import { createServer, type Server, type Socket } from "node:net";
import { getCACertificates, setDefaultCACertificates } from "node:tls";
import { gzipSync } from "node:zlib";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { type ConnectPhases, type ConnectTarget, createConnector, type Lookup } from "#lib/http/connector.ts";
import { createSender, type Sender, type SenderOptions, type SendRequest } from "#lib/http/send.ts";
import { makeCertificate } from "#test/helpers/certificates.ts";
import { type Receiver, type ReceiverOptions, startReceiver } from "#test/helpers/receiver.ts";

const loopback = ["127.0.0.0/8", "::1/128"];
let closers: (() => Promise<unknown>)[] = [];
let sender: Sender;
let receiver: Receiver;

beforeEach(async () => {
  sender = newSender();
  receiver = await newReceiver();
});
afterEach(async () => {
  for (const close of closers.reverse()) await close();
  closers = [];
});

function newSender(options: Partial<SenderOptions> = {}): Sender {
  const made = createSender({ allowedSubnets: loopback, ...options });
  closers.push(() => made.close());
  return made;
}

async function newReceiver(options?: ReceiverOptions): Promise<Receiver> {
  const made = await startReceiver(options);
  closers.push(() => made.close());
  return made;
}

/** A TCP server for what HTTP servers do not do. */
async function newServer(onConnection: (socket: Socket) => void): Promise<number> {
  const sockets = new Set<Socket>();
  const server: Server = createServer((socket) => {
    sockets.add(socket);
    socket.on("error", () => {});
    onConnection(socket);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  closers.push(async () => {
    for (const socket of sockets) socket.destroy();
    await new Promise((resolve) => server.close(resolve));
  });
  return (server.address() as { port: number }).port;
}

const request = (url: string, rest: Partial<SendRequest> = {}): SendRequest => ({
  url,
  headers: ["content-type", "application/json", "x-canary", "secret-value"],
  body: Buffer.from('{"payout":"12.50"}'),
  timeoutMs: 5_000,
  ...rest,
});

async function sendOk(url: string, rest?: Partial<SendRequest>) {
  const sent = await sender.send(request(url, rest));
  if (!sent.ok) throw new Error(`${sent.errorCode}: ${sent.errorDetail}`);
  return sent;
}

async function sendFailing(url: string, rest?: Partial<SendRequest>, by = sender) {
  const sent = await by.send(request(url, rest));
  if (sent.ok) throw new Error(`Unexpected status ${sent.status}`);
  expect(sent.errorDetail).not.toMatch(/secret-value|12\.50/);
  return sent;
}

const lookupOf =
  (...answers: string[][]): Lookup =>
  (_hostname, _options, callback) => {
    const addresses = answers.length > 1 ? answers.shift() : answers[0];
    setImmediate(() =>
      callback(
        null,
        (addresses ?? []).map((address) => ({ address, family: address.includes(":") ? 6 : 4 })),
      ),
    );
  };

describe("a complete response", () => {
  it("comes back with status, headers, body and timings, and the request arrives as given", async () => {
    receiver.script("/hook", { status: 202, headers: { "x-one": ["a", "b"] }, body: "taken" });
    const sent = await sendOk(receiver.url("/hook?q=%7e'x"));
    expect(sent).toMatchObject({ status: 202, bodyTruncated: false });
    expect(sent.body.toString()).toBe("taken");
    expect(sent.headers.slice(0, 4)).toEqual(["x-one", "a", "x-one", "b"]);
    expect(sent.timings.dnsMs).toBeNull();
    expect(sent.timings.tlsMs).toBeNull();
    expect(sent.timings.connectMs).toBeGreaterThan(0);
    expect(sent.timings.firstByteMs).toBeGreaterThanOrEqual(sent.timings.connectMs ?? 0);
    expect(sent.timings.totalMs).toBeGreaterThanOrEqual(sent.timings.firstByteMs ?? 0);

    const [received] = receiver.requests();
    expect(received?.method).toBe("POST");
    expect(received?.path).toBe("/hook?q=%7e'x");
    expect(received?.body.toString()).toBe('{"payout":"12.50"}');
    expect(received?.headers.join("\n").toLowerCase()).toContain("content-length\n18");
  });

  it("reuses the connection, and then has no connection timings", async () => {
    await sendOk(receiver.url("/a"));
    const second = await sendOk(receiver.url("/b"));
    expect(second.timings).toMatchObject({ dnsMs: null, connectMs: null, tlsMs: null });
    expect(receiver.connections()).toBe(1);
  });

  it.each([301, 302, 303, 307, 308])("%d is not followed", async (status) => {
    receiver.script("/old", { status, redirectTo: receiver.url("/new") });
    expect((await sendOk(receiver.url("/old"))).status).toBe(status);
    expect(receiver.requests().map(({ path }) => path)).toEqual(["/old"]);
  });

  it("may be a 204", async () => {
    receiver.script("/hook", { status: 204 });
    const sent = await sendOk(receiver.url("/hook"));
    expect([sent.status, sent.body.length]).toEqual([204, 0]);
  });

  it("keeps a gzip body as it came", async () => {
    const bomb = gzipSync(Buffer.alloc(50_000_000));
    receiver.script("/hook", { headers: { "content-encoding": "gzip" }, body: bomb });
    const sent = await sendOk(receiver.url("/hook"));
    expect(sent.body.equals(bomb)).toBe(true);
  });

  it("keeps raw bytes in headers and body", async () => {
    const body = Buffer.from([0, 0xff, 0xc3, 0x28, 0]);
    const head = "HTTP/1.1 200 OK\r\nX-Raw: caf\xe9 \xff\r\nContent-Length: 5\r\nConnection: close\r\n\r\n";
    receiver.script("/hook", { raw: Buffer.concat([Buffer.from(head, "latin1"), body]) });
    const sent = await sendOk(receiver.url("/hook"));
    expect(sent.headers.slice(0, 2)).toEqual(["X-Raw", "caf\xe9 \xff"]);
    expect(sent.body.equals(body)).toBe(true);
  });

  it("is the last one, after informational ones", async () => {
    receiver.script("/hook", {
      raw: "HTTP/1.1 103 Early Hints\r\nX: 1\r\n\r\nHTTP/1.1 200 OK\r\nY: 2\r\nContent-Length: 0\r\nConnection: close\r\n\r\n",
    });
    const sent = await sendOk(receiver.url("/hook"));
    expect([sent.status, ...sent.headers.slice(0, 2)]).toEqual([200, "Y", "2"]);
  });

  it("may end with the connection when no length was given", async () => {
    receiver.script("/hook", { raw: "HTTP/1.1 200 OK\r\n\r\nuntil the end" });
    expect((await sendOk(receiver.url("/hook"))).body.toString()).toBe("until the end");
  });

  it("is put together from single bytes", async () => {
    const body = Array.from({ length: 3_000 }, (_, index) => String(index % 10));
    const chunks = body.map((byte) => `1\r\n${byte}\r\n`).join("");
    receiver.script("/hook", {
      raw: `HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n${chunks}0\r\n\r\n`,
    });
    expect((await sendOk(receiver.url("/hook"))).body.toString()).toBe(body.join(""));
  });
});

describe("a long body", () => {
  it.each([
    [65_536, false],
    [65_537, true],
    [200_000, true],
  ])("of %d bytes is kept up to 64 KiB, and the connection too", async (hugeBodyBytes, bodyTruncated) => {
    receiver.script("/hook", { hugeBodyBytes });
    const sent = await sendOk(receiver.url("/hook"));
    expect(sent).toMatchObject({ status: 200, bodyTruncated });
    expect(sent.body.equals(Buffer.alloc(65_536, "x"))).toBe(true);
    await sendOk(receiver.url("/next"));
    expect(receiver.connections()).toBe(1);
  });

  it("of a gigabyte is cut off early, with little memory", async () => {
    receiver.script("/hook", { hugeBodyBytes: 1_000_000_000 });
    const before = process.memoryUsage().arrayBuffers;
    const all = await Promise.all(Array.from({ length: 20 }, () => sendOk(receiver.url("/hook"))));
    expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(40_000_000);
    for (const sent of all) {
      expect(sent).toMatchObject({ status: 200, bodyTruncated: true });
      expect(sent.body.length).toBe(65_536);
      expect(sent.timings.totalMs).toBeLessThan(3_000);
    }
    expect((await sendOk(receiver.url("/next"))).status).toBe(200);
  });
});

describe("a timeout", () => {
  it("covers the wait for the headers", async () => {
    receiver.script("/hook", { delayMs: 2_000 });
    const sent = await sendFailing(receiver.url("/hook"), { timeoutMs: 150 });
    expect(sent).toMatchObject({
      errorCode: "POSTHORN_TIMEOUT",
      errorDetail: expect.stringContaining("the response"),
    });
    expect(sent.status).toBeUndefined();
    expect(sent.timings.firstByteMs).toBeNull();
    expect(sent.timings.totalMs).toBeGreaterThan(145);
    expect(sent.timings.totalMs).toBeLessThan(1_000);
  });

  it("covers a server that never answers, and frees its connection", async () => {
    receiver.script("/hook", { hang: true });
    await sendFailing(receiver.url("/hook"), { timeoutMs: 100 });
    expect((await sendOk(receiver.url("/next"))).timings.connectMs).not.toBeNull();
    expect(receiver.requests()).toHaveLength(2);
  });

  it("covers a body that drips after a 2xx", async () => {
    receiver.script("/hook", { dripBytePerMs: 20 });
    const sent = await sendFailing(receiver.url("/hook"), { timeoutMs: 300 });
    expect(sent).toMatchObject({ errorCode: "POSTHORN_TIMEOUT", status: 200 });
    expect(sent.timings.firstByteMs).not.toBeNull();
    expect(sent.timings.totalMs).toBeLessThan(1_000);
  });

  it("covers a long body that stops before its end", async () => {
    receiver.script("/hook", {
      raw: Buffer.concat([
        Buffer.from("HTTP/1.1 200 OK\r\nContent-Length: 900000\r\n\r\n"),
        Buffer.alloc(100_000),
      ]),
      hang: true,
    });
    expect(await sendFailing(receiver.url("/hook"), { timeoutMs: 200 })).toMatchObject({
      errorCode: "POSTHORN_TIMEOUT",
      status: 200,
    });
  });

  it("covers the wait for a free connection, and what waited in vain is not sent later", async () => {
    sender = newSender({ connectionsPerOrigin: 1 });
    receiver.script("/slow", { delayMs: 400 });
    const slow = sendOk(receiver.url("/slow"));
    const sent = await sendFailing(receiver.url("/late"), { timeoutMs: 100 });
    expect(sent.errorDetail).toContain("a connection");
    const waited = sendOk(receiver.url("/patient"));
    await slow;
    await waited;
    expect(receiver.requests().map(({ path }) => path)).toEqual(["/slow", "/patient"]);
    expect(receiver.connections()).toBe(1);
  });

  it("covers the lookup, and the connection that comes of it serves the next request", async () => {
    let answerLookup = () => {};
    const lookup: Lookup = (_hostname, _options, callback) => {
      answerLookup = () => callback(null, [{ address: "127.0.0.1", family: 4 }]);
    };
    sender = newSender({ lookup, connectionsPerOrigin: 1 });
    const origin = `http://slow.example:${receiver.port}`;
    const late = await sendFailing(`${origin}/late`, { timeoutMs: 50 });
    expect(late.errorDetail).toContain("a connection");
    const next = sendOk(`${origin}/next`);
    answerLookup();
    expect((await next).timings).toMatchObject({ dnsMs: null, connectMs: null });
    expect(receiver.requests().map(({ path }) => path)).toEqual(["/next"]);
    expect(receiver.connections()).toBe(1);
  });
});

describe("the time to connect", () => {
  const failToConnect = (target: ConnectTarget, lookup?: Lookup) =>
    new Promise<{ code: string | undefined; phases: ConnectPhases }>((resolve) => {
      const connector = createConnector({
        allowedSubnets: loopback,
        timeoutMs: 100,
        ...(lookup ? { lookup } : {}),
      });
      connector.connect(target, (error, _socket, phases) =>
        resolve({ code: (error as NodeJS.ErrnoException | null)?.code, phases }),
      );
    });

  it("is bounded for a handshake that stalls", async () => {
    const port = String(await newServer(() => {}));
    const { code, phases } = await failToConnect({ hostname: "127.0.0.1", port, protocol: "https:" });
    expect(code).toBe("UND_ERR_CONNECT_TIMEOUT");
    expect(phases).toEqual({ dnsMs: null, connectMs: expect.any(Number), tlsMs: null });
  });

  it("is bounded for a name server that does not answer", async () => {
    const { code, phases } = await failToConnect(
      { hostname: "a.example", port: "", protocol: "http:" },
      () => {},
    );
    expect(code).toBe("UND_ERR_CONNECT_TIMEOUT");
    expect(phases).toEqual({ dnsMs: null, connectMs: null, tlsMs: null });
  });
});

describe("a broken connection", () => {
  it("is ECONNRESET when it is reset before an answer, and not tried again on a fresh connection", async () => {
    receiver.script("/hook", { reset: true });
    const sent = await sendFailing(receiver.url("/hook"));
    expect(sent).toMatchObject({ errorCode: "ECONNRESET" });
    expect(sent.timings.connectMs).not.toBeNull();
    expect(receiver.requests()).toHaveLength(1);
  });

  it("is UND_ERR_SOCKET when it is closed before an answer", async () => {
    const port = await newServer((socket) => socket.once("data", () => socket.end()));
    expect((await sendFailing(`http://127.0.0.1:${port}/`)).errorCode).toBe("UND_ERR_SOCKET");
  });

  it("keeps the status when it closes after the headers", async () => {
    receiver.script("/hook", { closeAfterHeaders: true });
    const sent = await sendFailing(receiver.url("/hook"));
    expect(sent).toMatchObject({ errorCode: "UND_ERR_SOCKET", status: 200 });
  });

  it("is ECONNREFUSED when nobody listens", async () => {
    const gone = await newReceiver();
    await gone.close();
    closers.pop();
    const sent = await sendFailing(gone.url("/hook"));
    expect(sent).toMatchObject({ errorCode: "ECONNREFUSED", timings: { connectMs: null } });
  });

  it("is ENOTFOUND when the name does not exist", async () => {
    const lookup: Lookup = (hostname, _options, callback) =>
      void setImmediate(() =>
        callback(Object.assign(new Error(`getaddrinfo ENOTFOUND ${hostname}`), { code: "ENOTFOUND" }), []),
      );
    const sent = await sendFailing("http://no.example/", {}, newSender({ lookup }));
    expect(sent).toMatchObject({ errorCode: "ENOTFOUND", timings: { connectMs: null } });
    expect(sent.timings.dnsMs).toBeGreaterThan(0);
  });

  it("has a parser's code when the answer is not HTTP", async () => {
    receiver.script("/hook", { raw: "SSH-2.0-OpenSSH_9.6\r\n" });
    expect((await sendFailing(receiver.url("/hook"))).errorCode).toMatch(/^HPE_/);
  });

  it("says so when the headers are too large", async () => {
    receiver.script("/hook", { raw: `HTTP/1.1 200 OK\r\nX-Big: ${"x".repeat(40_000)}\r\n\r\n` });
    expect((await sendFailing(receiver.url("/hook"))).errorCode).toBe("UND_ERR_HEADERS_OVERFLOW");
  });

  it("does not stop the sender: the next request gets through", async () => {
    receiver.script(
      "/hook",
      { reset: true },
      { closeAfterHeaders: true },
      { raw: "nonsense\r\n" },
      { status: 200 },
    );
    for (let attempt = 0; attempt < 3; attempt += 1) await sendFailing(receiver.url("/hook"));
    expect((await sendOk(receiver.url("/hook"))).status).toBe(200);
  });
});

describe("a kept connection that the server had closed", () => {
  it("costs one second try over a new connection, unseen", async () => {
    receiver.script("/hook", {}, { reset: true }, { body: "second" });
    await sendOk(receiver.url("/hook"));
    const sent = await sendOk(receiver.url("/hook"));
    expect(sent.body.toString()).toBe("second");
    expect(sent.timings.connectMs).not.toBeNull();
    expect(receiver.requests().map(({ socketId }) => socketId)).toEqual([1, 1, 2]);
  });

  it("costs one second try when it is closed in good order, too", async () => {
    let connections = 0;
    const port = await newServer((socket) => {
      connections += 1;
      let requests = 0;
      socket.on("data", () => {
        requests += 1;
        if (connections === 1 && requests === 2) socket.end();
        else socket.write("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n");
      });
    });
    await sendOk(`http://127.0.0.1:${port}/`);
    await sendOk(`http://127.0.0.1:${port}/`);
    expect(connections).toBe(2);
  });

  it("costs no more than one", async () => {
    receiver.script("/hook", {}, { reset: true }, { reset: true });
    await sendOk(receiver.url("/hook"));
    expect((await sendFailing(receiver.url("/hook"))).errorCode).toBe("ECONNRESET");
    expect(receiver.requests()).toHaveLength(3);
  });

  it("costs none when a byte of an answer had come", async () => {
    receiver.script("/hook", {}, { raw: "H" }, { body: "never" });
    await sendOk(receiver.url("/hook"));
    const sent = await sendFailing(receiver.url("/hook"));
    expect(sent.errorCode).toBe("UND_ERR_SOCKET");
    expect(sent.timings.firstByteMs).not.toBeNull();
    expect(receiver.requests()).toHaveLength(2);
  });

  it("stays within the timeout of the attempt", async () => {
    receiver.script("/hook", {}, { delayMs: 150, reset: true }, { hang: true });
    await sendOk(receiver.url("/hook"));
    const sent = await sendFailing(receiver.url("/hook"), { timeoutMs: 300 });
    expect(sent.errorCode).toBe("POSTHORN_TIMEOUT");
    expect(sent.timings.totalMs).toBeLessThan(450);
    expect(receiver.requests()).toHaveLength(3);
  });
});

describe("TLS", () => {
  const authority = makeCertificate({ commonName: "Test authority" });
  const trusted = getCACertificates("default");
  beforeEach(() => setDefaultCACertificates([...trusted, authority.cert]));
  afterEach(() => setDefaultCACertificates(trusted));

  const names = ["hooks.example", "127.0.0.1"];
  const past = { notBefore: new Date("2020-01-01"), notAfter: new Date("2020-02-01") };
  const future = { notBefore: new Date("2045-01-01"), notAfter: new Date("2045-02-01") };

  it("works for a trusted certificate, by name and by address, with all phases timed", async () => {
    const tls = await newReceiver({ tls: makeCertificate({ commonName: "ok", names, issuer: authority }) });
    sender = newSender({ lookup: lookupOf(["127.0.0.1"]) });
    for (const host of ["hooks.example", "hooks.example.", "127.0.0.1"]) {
      const sent = await sendOk(`https://${host}:${tls.port}/hook`);
      expect(sent.timings.connectMs).toBeGreaterThan(0);
      expect(sent.timings.tlsMs).toBeGreaterThan(0);
      expect(sent.timings.dnsMs === null).toBe(host === "127.0.0.1");
    }
    const again = await sendOk(`https://hooks.example:${tls.port}/hook`);
    expect(again.timings).toMatchObject({ dnsMs: null, connectMs: null, tlsMs: null });
  });

  it.each([
    ["CERT_HAS_EXPIRED", { commonName: "x", names, issuer: authority, ...past }],
    ["CERT_NOT_YET_VALID", { commonName: "x", names, issuer: authority, ...future }],
    ["DEPTH_ZERO_SELF_SIGNED_CERT", { commonName: "x", names }],
    ["ERR_TLS_CERT_ALTNAME_INVALID", { commonName: "x", names: ["other.example"], issuer: authority }],
  ])("refuses a bad certificate with %s, and nothing is sent", async (code, certificate) => {
    const tls = await newReceiver({ tls: makeCertificate(certificate) });
    const sent = await sendFailing(tls.url("/hook"));
    expect(sent.errorCode).toBe(code);
    expect(sent.timings).toMatchObject({ tlsMs: null, firstByteMs: null });
    expect(sent.timings.connectMs).toBeGreaterThan(0);
    expect(tls.requests()).toHaveLength(0);
  });

  it("has a code of its own for a handshake that is cut", async () => {
    const port = await newServer((socket) => socket.once("data", () => socket.destroy()));
    expect((await sendFailing(`https://127.0.0.1:${port}/`)).errorCode).toBe("POSTHORN_TLS_INTERRUPTED");
  });

  it("has OpenSSL's code where the port speaks something else", async () => {
    expect((await sendFailing(receiver.url("/hook").replace("http:", "https:"))).errorCode).toMatch(
      /^(ERR_SSL_|EPROTO|POSTHORN_TLS_INTERRUPTED)/,
    );
  });

  it("tries a kept connection that was dropped once more", async () => {
    const tls = await newReceiver({ tls: makeCertificate({ commonName: "ok", names, issuer: authority }) });
    tls.script("/hook", {}, { reset: true }, { body: "second" });
    await sendOk(tls.url("/hook"));
    expect((await sendOk(tls.url("/hook"))).body.toString()).toBe("second");
  });
});

describe("a forbidden address", () => {
  it.each([
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
  ])("written as %s is refused before a socket is opened", async (host) => {
    const strict = newSender({ allowedSubnets: [] });
    const sent = await sendFailing(`http://${host}:${receiver.port}/`, {}, strict);
    expect(sent.errorCode).toBe("POSTHORN_BLOCKED_ADDRESS");
    expect(sent.timings.connectMs).toBeNull();
    expect(receiver.connections()).toBe(0);
  });

  it.each([
    ["a private one", ["10.0.0.5"]],
    ["loopback", ["127.0.0.1"]],
    ["a public and a private one", ["93.184.216.34", "127.0.0.1"]],
    ["a public and a mapped private one", ["93.184.216.34", "::ffff:127.0.0.1"]],
  ])("behind a name is refused: %s", async (_kind, addresses) => {
    const strict = newSender({ allowedSubnets: [], lookup: lookupOf(addresses) });
    const sent = await sendFailing(`http://inside.example:${receiver.port}/`, {}, strict);
    expect(sent.errorCode).toBe("POSTHORN_BLOCKED_ADDRESS");
    expect(sent.timings.dnsMs).toBeGreaterThan(0);
    expect(receiver.connections()).toBe(0);
  });

  it("cannot come in by a second lookup: the address that was checked is the one dialled", async () => {
    let lookups = 0;
    const first = lookupOf(["127.0.0.1"], ["169.254.169.254"]);
    const lookup: Lookup = (...args) => {
      lookups += 1;
      first(...args);
    };
    sender = newSender({ lookup });
    expect((await sendOk(`http://rebind.example:${receiver.port}/`)).timings.dnsMs).toBeGreaterThan(0);
    expect(lookups).toBe(1);
    expect(receiver.requests()[0]?.headers.join("\n")).toContain(`rebind.example:${receiver.port}`);
  });

  it("is checked again for each new connection", async () => {
    sender = newSender({ lookup: lookupOf(["127.0.0.1"], ["169.254.169.254"]) });
    receiver.script("/hook", { headers: { connection: "close" } });
    await sendOk(`http://rebind.example:${receiver.port}/hook`);
    const sent = await sendFailing(`http://rebind.example:${receiver.port}/hook`);
    expect(sent.errorCode).toBe("POSTHORN_BLOCKED_ADDRESS");
  });

  it("is one lookup for many requests at once", async () => {
    let lookups = 0;
    const lookup: Lookup = (...args) => {
      lookups += 1;
      lookupOf(["127.0.0.1"])(...args);
    };
    sender = newSender({ lookup });
    await Promise.all(Array.from({ length: 10 }, () => sendOk(`http://many.example:${receiver.port}/`)));
    expect(lookups).toBe(1);
  });

  it("does not keep the next address of a name from being tried", async () => {
    // Nothing listens at 127.0.0.2, which is allowed; 127.0.0.1 answers.
    sender = newSender({ lookup: lookupOf(["127.0.0.2", "127.0.0.1"]) });
    expect((await sendOk(`http://two.example:${receiver.port}/`)).status).toBe(200);
  });
});

describe("the sender", () => {
  it("serves many requests over a bounded number of connections", async () => {
    sender = newSender({ connectionsPerOrigin: 4 });
    receiver.script("/hook", { delayMs: 5 });
    const all = await Promise.all(Array.from({ length: 100 }, () => sendOk(receiver.url("/hook"))));
    expect(all).toHaveLength(100);
    expect(receiver.connections()).toBe(4);
  });

  it("closes the connections of the origin that was used longest ago when it has too many", async () => {
    sender = newSender({ maxPools: 2 });
    const others = [await newReceiver(), await newReceiver()] as const;
    await sendOk(receiver.url("/"));
    await sendOk(others[0].url("/"));
    await sendOk(receiver.url("/"));
    await sendOk(others[1].url("/"));
    await sendOk(receiver.url("/"));
    await sendOk(others[0].url("/"));
    expect([receiver, ...others].map((each) => each.connections())).toEqual([1, 2, 1]);
  });

  it.each(["nonsense", "", "ftp://example.com/", "http://", "http://exa mple/"])(
    "fails for the URL %j",
    async (url) => {
      expect((await sendFailing(url)).errorCode).toMatch(/^(ERR_INVALID_URL|UND_ERR_INVALID_ARG)$/);
    },
  );

  it("fails for a header that would break out", async () => {
    const sent = await sendFailing(receiver.url("/"), { headers: ["x-canary", "secret-value\r\nx: y"] });
    expect(sent.errorCode).toBe("UND_ERR_INVALID_ARG");
    expect(receiver.requests()).toHaveLength(0);
  });

  it("ends what is under way or waits when it is closed, and takes nothing more", async () => {
    sender = newSender({ connectionsPerOrigin: 1 });
    receiver.script("/hook", { hang: true });
    const underWay = sendFailing(receiver.url("/hook"));
    const waiting = sendFailing(receiver.url("/hook"));
    const connecting = sendFailing("http://slow.example/", {}, newSender({ lookup: () => {} }));
    await receiver.waitFor("/hook", 1);
    await sender.close();
    expect((await underWay).errorCode).toBe("UND_ERR_DESTROYED");
    expect((await waiting).errorCode).toBe("UND_ERR_DESTROYED");
    expect((await sendFailing(receiver.url("/hook"))).errorCode).toBe("UND_ERR_DESTROYED");
    await closers.pop()?.();
    expect((await connecting).errorCode).toBe("UND_ERR_DESTROYED");
  });
});
