import { getCACertificates, setDefaultCACertificates } from "node:tls";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { type ConnectPhases, type ConnectTarget, createConnector, type Lookup } from "#lib/http/connector.ts";
import { makeCertificate } from "#test/helpers/certificates.ts";
import { lookupOf, setUpSending } from "#test/helpers/sending.ts";
import { startForgetfulServer } from "#test/helpers/tcp-server.ts";
import { allowedSubnets } from "#test/helpers/worker-process.ts";

const on = setUpSending();
const { newSender, newReceiver, newServer, sendOk, sendFailing, closeLast } = on;

describe("the time to connect", () => {
  const failToConnect = (target: ConnectTarget, lookup?: Lookup) =>
    new Promise<{ code: string | undefined; phases: ConnectPhases }>((resolve) => {
      const connector = createConnector({
        allowedSubnets,
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

describe("a broken connection (case 11)", () => {
  it("is ECONNRESET when it is reset before an answer, and not tried again on a fresh connection", async () => {
    on.receiver.script("/hook", { reset: true });
    const sent = await sendFailing(on.receiver.url("/hook"));
    expect(sent).toMatchObject({ errorCode: "ECONNRESET" });
    expect(sent.timings.connectMs).not.toBeNull();
    expect(on.receiver.requests()).toHaveLength(1);
  });

  it("is UND_ERR_SOCKET when it is closed before an answer", async () => {
    const port = await newServer((socket) => socket.once("data", () => socket.end()));
    expect((await sendFailing(`http://127.0.0.1:${port}/`)).errorCode).toBe("UND_ERR_SOCKET");
  });

  it("keeps the status when it closes after the headers", async () => {
    on.receiver.script("/hook", { closeAfterHeaders: true });
    const sent = await sendFailing(on.receiver.url("/hook"));
    expect(sent).toMatchObject({ errorCode: "UND_ERR_SOCKET", status: 200 });
  });

  it("is ECONNREFUSED when nobody listens", async () => {
    const gone = await newReceiver();
    await closeLast();
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
    on.receiver.script("/hook", { raw: "SSH-2.0-OpenSSH_9.6\r\n" });
    expect((await sendFailing(on.receiver.url("/hook"))).errorCode).toMatch(/^HPE_/);
  });

  it("says so when the headers are too large", async () => {
    on.receiver.script("/hook", { raw: `HTTP/1.1 200 OK\r\nX-Big: ${"x".repeat(40_000)}\r\n\r\n` });
    expect((await sendFailing(on.receiver.url("/hook"))).errorCode).toBe("UND_ERR_HEADERS_OVERFLOW");
  });

  it("does not stop the sender: the next request gets through", async () => {
    on.receiver.script(
      "/hook",
      { reset: true },
      { closeAfterHeaders: true },
      { raw: "nonsense\r\n" },
      { status: 200 },
    );
    for (let attempt = 0; attempt < 3; attempt += 1) await sendFailing(on.receiver.url("/hook"));
    expect((await sendOk(on.receiver.url("/hook"))).status).toBe(200);
  });
});

describe("a kept connection that the server had closed (case 10)", () => {
  it("costs one second try over a new connection, unseen", async () => {
    on.receiver.script("/hook", {}, { reset: true }, { body: "second" });
    await sendOk(on.receiver.url("/hook"));
    const sent = await sendOk(on.receiver.url("/hook"));
    expect(sent.body.toString()).toBe("second");
    expect(sent.timings.connectMs).not.toBeNull();
    expect(on.receiver.requests().map(({ socketId }) => socketId)).toEqual([1, 1, 2]);
  });

  it("costs one second try when it is closed in good order, too", async () => {
    const forgetful = await startForgetfulServer();
    await sendOk(`http://127.0.0.1:${forgetful.port}/`);
    await sendOk(`http://127.0.0.1:${forgetful.port}/`).finally(forgetful.close);
    expect(forgetful.connections()).toBe(2);
  });

  it("costs no more than one", async () => {
    on.receiver.script("/hook", {}, { reset: true }, { reset: true });
    await sendOk(on.receiver.url("/hook"));
    expect((await sendFailing(on.receiver.url("/hook"))).errorCode).toBe("ECONNRESET");
    expect(on.receiver.requests()).toHaveLength(3);
  });

  it("costs none when the server had the request for a while: it may have begun to work on it", async () => {
    on.receiver.script("/hook", {}, { delayMs: 1_200, reset: true }, { body: "never" });
    await sendOk(on.receiver.url("/hook"));
    expect((await sendFailing(on.receiver.url("/hook"))).errorCode).toBe("ECONNRESET");
    expect(on.receiver.requests()).toHaveLength(2);
  });

  it("costs none when a byte of an answer had come", async () => {
    on.receiver.script("/hook", {}, { raw: "H" }, { body: "never" });
    await sendOk(on.receiver.url("/hook"));
    const sent = await sendFailing(on.receiver.url("/hook"));
    expect(sent.errorCode).toBe("UND_ERR_SOCKET");
    expect(sent.timings.firstByteMs).not.toBeNull();
    expect(on.receiver.requests()).toHaveLength(2);
  });

  it("stays within the timeout of the attempt", async () => {
    on.receiver.script("/hook", {}, { delayMs: 150, reset: true }, { hang: true });
    await sendOk(on.receiver.url("/hook"));
    const sent = await sendFailing(on.receiver.url("/hook"), { timeoutMs: 300 });
    expect(sent.errorCode).toBe("POSTHORN_TIMEOUT");
    expect(sent.timings.totalMs).toBeLessThan(450);
    expect(on.receiver.requests()).toHaveLength(3);
  });
});

describe("TLS (case 11)", () => {
  const authority = makeCertificate({ commonName: "Test authority" });
  const trusted = getCACertificates("default");
  beforeEach(() => setDefaultCACertificates([...trusted, authority.cert]));
  afterEach(() => setDefaultCACertificates(trusted));

  const names = ["hooks.example", "127.0.0.1"];
  const past = { notBefore: new Date("2020-01-01"), notAfter: new Date("2020-02-01") };
  const future = { notBefore: new Date("2045-01-01"), notAfter: new Date("2045-02-01") };

  it("works for a trusted certificate, by name and by address, with all phases timed", async () => {
    const tls = await newReceiver({ tls: makeCertificate({ commonName: "ok", names, issuer: authority }) });
    on.sender = newSender({ lookup: lookupOf(["127.0.0.1"]) });
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
    expect((await sendFailing(on.receiver.url("/hook").replace("http:", "https:"))).errorCode).toMatch(
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

describe("a forbidden address (case 14)", () => {
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
    const sent = await sendFailing(`http://${host}:${on.receiver.port}/`, {}, strict);
    expect(sent.errorCode).toBe("POSTHORN_BLOCKED_ADDRESS");
    expect(sent.timings.connectMs).toBeNull();
    expect(on.receiver.connections()).toBe(0);
  });

  it.each([
    ["a private one", ["10.0.0.5"]],
    ["loopback", ["127.0.0.1"]],
    ["a public and a private one", ["93.184.216.34", "127.0.0.1"]],
    ["a public and a mapped private one", ["93.184.216.34", "::ffff:127.0.0.1"]],
  ])("behind a name is refused: %s", async (_kind, addresses) => {
    const strict = newSender({ allowedSubnets: [], lookup: lookupOf(addresses) });
    const sent = await sendFailing(`http://inside.example:${on.receiver.port}/`, {}, strict);
    expect(sent.errorCode).toBe("POSTHORN_BLOCKED_ADDRESS");
    expect(sent.timings.dnsMs).toBeGreaterThan(0);
    expect(on.receiver.connections()).toBe(0);
  });

  it("cannot come in by a second lookup: the address that was checked is the one dialled", async () => {
    let lookups = 0;
    const first = lookupOf(["127.0.0.1"], ["169.254.169.254"]);
    const lookup: Lookup = (...args) => {
      lookups += 1;
      first(...args);
    };
    on.sender = newSender({ lookup });
    expect((await sendOk(`http://rebind.example:${on.receiver.port}/`)).timings.dnsMs).toBeGreaterThan(0);
    expect(lookups).toBe(1);
    expect(on.receiver.requests()[0]?.headers.join("\n")).toContain(`rebind.example:${on.receiver.port}`);
  });

  it("is checked again for each new connection", async () => {
    on.sender = newSender({ lookup: lookupOf(["127.0.0.1"], ["169.254.169.254"]) });
    on.receiver.script("/hook", { headers: { connection: "close" } });
    await sendOk(`http://rebind.example:${on.receiver.port}/hook`);
    const sent = await sendFailing(`http://rebind.example:${on.receiver.port}/hook`);
    expect(sent.errorCode).toBe("POSTHORN_BLOCKED_ADDRESS");
  });

  it("is one lookup for many requests at once", async () => {
    let lookups = 0;
    const lookup: Lookup = (...args) => {
      lookups += 1;
      lookupOf(["127.0.0.1"])(...args);
    };
    on.sender = newSender({ lookup });
    await Promise.all(Array.from({ length: 10 }, () => sendOk(`http://many.example:${on.receiver.port}/`)));
    expect(lookups).toBe(1);
  });

  it("does not keep the next address of a name from being tried", async () => {
    // Nothing listens at 127.0.0.2, which is allowed; 127.0.0.1 answers.
    on.sender = newSender({ lookup: lookupOf(["127.0.0.2", "127.0.0.1"]) });
    expect((await sendOk(`http://two.example:${on.receiver.port}/`)).status).toBe(200);
  });
});
