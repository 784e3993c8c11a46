import { gzipSync } from "node:zlib";
import { describe, expect, it } from "vitest";
import type { Lookup } from "#lib/http/connector.ts";
import { lookupOf, setUpSending } from "#test/helpers/sending.ts";

const on = setUpSending();
const { newSender, newReceiver, newServer, sendOk, sendFailing, closeLast } = on;

describe("a complete response (cases 7 and 9)", () => {
  it("comes back with status, headers, body and timings, and the request arrives as given", async () => {
    on.receiver.script("/hook", { status: 202, headers: { "x-one": ["a", "b"] }, body: "taken" });
    const sent = await sendOk(on.receiver.url("/hook?q=%7e'x"));
    expect(sent).toMatchObject({ status: 202, bodyTruncated: false });
    expect(sent.body.toString()).toBe("taken");
    expect(sent.headers.slice(0, 4)).toEqual(["x-one", "a", "x-one", "b"]);
    expect(sent.timings.dnsMs).toBeNull();
    expect(sent.timings.tlsMs).toBeNull();
    expect(sent.timings.connectMs).toBeGreaterThan(0);
    expect(sent.timings.firstByteMs).toBeGreaterThanOrEqual(sent.timings.connectMs ?? 0);
    expect(sent.timings.totalMs).toBeGreaterThanOrEqual(sent.timings.firstByteMs ?? 0);

    const [received] = on.receiver.requests();
    expect(received?.method).toBe("POST");
    expect(received?.path).toBe("/hook?q=%7e'x");
    expect(received?.body.toString()).toBe('{"payout":"12.50"}');
    expect(received?.headers.join("\n").toLowerCase()).toContain("content-length\n18");
  });

  it("reuses the connection, and then has no connection timings", async () => {
    await sendOk(on.receiver.url("/a"));
    const second = await sendOk(on.receiver.url("/b"));
    expect(second.timings).toMatchObject({ dnsMs: null, connectMs: null, tlsMs: null });
    expect(on.receiver.connections()).toBe(1);
  });

  it.each([301, 302, 303, 307, 308])("%d is not followed", async (status) => {
    on.receiver.script("/old", { status, redirectTo: on.receiver.url("/new") });
    expect((await sendOk(on.receiver.url("/old"))).status).toBe(status);
    expect(on.receiver.requests().map(({ path }) => path)).toEqual(["/old"]);
  });

  it("may be a 204", async () => {
    on.receiver.script("/hook", { status: 204 });
    const sent = await sendOk(on.receiver.url("/hook"));
    expect([sent.status, sent.body.length]).toEqual([204, 0]);
  });

  it("keeps a gzip body as it came", async () => {
    const bomb = gzipSync(Buffer.alloc(50_000_000));
    on.receiver.script("/hook", { headers: { "content-encoding": "gzip" }, body: bomb });
    const sent = await sendOk(on.receiver.url("/hook"));
    expect(sent.body.equals(bomb)).toBe(true);
  });

  it("keeps raw bytes in headers and body", async () => {
    const body = Buffer.from([0, 0xff, 0xc3, 0x28, 0]);
    const head = "HTTP/1.1 200 OK\r\nX-Raw: caf\xe9 \xff\r\nContent-Length: 5\r\nConnection: close\r\n\r\n";
    on.receiver.script("/hook", { raw: Buffer.concat([Buffer.from(head, "latin1"), body]) });
    const sent = await sendOk(on.receiver.url("/hook"));
    expect(sent.headers.slice(0, 2)).toEqual(["X-Raw", "caf\xe9 \xff"]);
    expect(sent.body.equals(body)).toBe(true);
  });

  it("is the last one, after informational ones", async () => {
    on.receiver.script("/hook", {
      raw: "HTTP/1.1 103 Early Hints\r\nX: 1\r\n\r\nHTTP/1.1 200 OK\r\nY: 2\r\nContent-Length: 0\r\nConnection: close\r\n\r\n",
    });
    const sent = await sendOk(on.receiver.url("/hook"));
    expect([sent.status, ...sent.headers.slice(0, 2)]).toEqual([200, "Y", "2"]);
  });

  it("may end with the connection when no length was given", async () => {
    on.receiver.script("/hook", { raw: "HTTP/1.1 200 OK\r\n\r\nuntil the end" });
    expect((await sendOk(on.receiver.url("/hook"))).body.toString()).toBe("until the end");
  });

  it("is put together from single bytes", async () => {
    const body = Array.from({ length: 3_000 }, (_, index) => String(index % 10));
    const chunks = body.map((byte) => `1\r\n${byte}\r\n`).join("");
    on.receiver.script("/hook", {
      raw: `HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n${chunks}0\r\n\r\n`,
    });
    expect((await sendOk(on.receiver.url("/hook"))).body.toString()).toBe(body.join(""));
  });
});

describe("a long body (case 8)", () => {
  it.each([
    [65_536, false],
    [65_537, true],
    [200_000, true],
  ])("of %d bytes is kept up to 64 KiB, and the connection too", async (hugeBodyBytes, bodyTruncated) => {
    on.receiver.script("/hook", { hugeBodyBytes });
    const sent = await sendOk(on.receiver.url("/hook"));
    expect(sent).toMatchObject({ status: 200, bodyTruncated });
    expect(sent.body.equals(Buffer.alloc(65_536, "x"))).toBe(true);
    await sendOk(on.receiver.url("/next"));
    expect(on.receiver.connections()).toBe(1);
  });

  it("of a gigabyte is cut off early, with little memory", async () => {
    on.receiver.script("/hook", { hugeBodyBytes: 1_000_000_000 });
    const before = process.memoryUsage().arrayBuffers;
    const all = await Promise.all(Array.from({ length: 20 }, () => sendOk(on.receiver.url("/hook"))));
    expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(40_000_000);
    for (const sent of all) {
      expect(sent).toMatchObject({ status: 200, bodyTruncated: true });
      expect(sent.body.length).toBe(65_536);
      expect(sent.timings.totalMs).toBeLessThan(3_000);
    }
    expect((await sendOk(on.receiver.url("/next"))).status).toBe(200);
  });
});

describe("a timeout (case 8)", () => {
  it("covers the wait for the headers", async () => {
    on.receiver.script("/hook", { delayMs: 2_000 });
    const sent = await sendFailing(on.receiver.url("/hook"), { timeoutMs: 150 });
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
    on.receiver.script("/hook", { hang: true });
    await sendFailing(on.receiver.url("/hook"), { timeoutMs: 100 });
    expect((await sendOk(on.receiver.url("/next"))).timings.connectMs).not.toBeNull();
    expect(on.receiver.requests()).toHaveLength(2);
  });

  it("covers a body that drips after a 2xx", async () => {
    on.receiver.script("/hook", { dripBytePerMs: 20 });
    const sent = await sendFailing(on.receiver.url("/hook"), { timeoutMs: 300 });
    expect(sent).toMatchObject({ errorCode: "POSTHORN_TIMEOUT", status: 200 });
    expect(sent.timings.firstByteMs).not.toBeNull();
    expect(sent.timings.totalMs).toBeLessThan(1_000);
  });

  it("covers a long body that stops before its end", async () => {
    on.receiver.script("/hook", {
      raw: Buffer.concat([
        Buffer.from("HTTP/1.1 200 OK\r\nContent-Length: 900000\r\n\r\n"),
        Buffer.alloc(100_000),
      ]),
      hang: true,
    });
    expect(await sendFailing(on.receiver.url("/hook"), { timeoutMs: 200 })).toMatchObject({
      errorCode: "POSTHORN_TIMEOUT",
      status: 200,
    });
  });

  it("covers the wait for a free connection, and what waited in vain is not sent later", async () => {
    on.sender = newSender({ connectionsPerOrigin: 1 });
    on.receiver.script("/slow", { delayMs: 400 });
    const slow = sendOk(on.receiver.url("/slow"));
    const sent = await sendFailing(on.receiver.url("/late"), { timeoutMs: 100 });
    expect(sent.errorDetail).toContain("a connection");
    const waited = sendOk(on.receiver.url("/patient"));
    await slow;
    await waited;
    expect(on.receiver.requests().map(({ path }) => path)).toEqual(["/slow", "/patient"]);
    expect(on.receiver.connections()).toBe(1);
  });

  it("covers the lookup, and the connection that comes of it serves the next request", async () => {
    let answerLookup = () => {};
    const lookup: Lookup = (_hostname, _options, callback) => {
      answerLookup = () => callback(null, [{ address: "127.0.0.1", family: 4 }]);
    };
    on.sender = newSender({ lookup, connectionsPerOrigin: 1 });
    const origin = `http://slow.example:${on.receiver.port}`;
    const late = await sendFailing(`${origin}/late`, { timeoutMs: 50 });
    expect(late.errorDetail).toContain("a connection");
    const next = sendOk(`${origin}/next`);
    answerLookup();
    expect((await next).timings).toMatchObject({ dnsMs: null, connectMs: null });
    expect(on.receiver.requests().map(({ path }) => path)).toEqual(["/next"]);
    expect(on.receiver.connections()).toBe(1);
  });
});

describe("the sender", () => {
  it("serves many requests over a bounded number of connections", async () => {
    on.sender = newSender({ connectionsPerOrigin: 4 });
    on.receiver.script("/hook", { delayMs: 5 });
    const all = await Promise.all(Array.from({ length: 100 }, () => sendOk(on.receiver.url("/hook"))));
    expect(all).toHaveLength(100);
    expect(on.receiver.connections()).toBe(4);
  });

  it("closes the connections of the origin that was used longest ago when it has too many", async () => {
    on.sender = newSender({ maxPools: 2 });
    const others = [await newReceiver(), await newReceiver()] as const;
    await sendOk(on.receiver.url("/"));
    await sendOk(others[0].url("/"));
    await sendOk(on.receiver.url("/"));
    await sendOk(others[1].url("/"));
    await sendOk(on.receiver.url("/"));
    await sendOk(others[0].url("/"));
    expect([on.receiver, ...others].map((each) => each.connections())).toEqual([1, 2, 1]);
  });

  it("keeps a bounded number of connections open, however many origins it sends to", async () => {
    let open = 0;
    let most = 0;
    const answer = "HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n";
    const port = await newServer((socket) => {
      most = Math.max(most, ++open);
      socket.on("data", () => socket.write(answer)).on("close", () => open--);
    });
    const [maxPools, atOnce, origins] = [64, 32, 2_000];
    const sender = newSender({ maxPools, lookup: lookupOf(["127.0.0.1"]) });
    let next = 0;
    const sendAll = async () => {
      for (let i = next++; i < origins; i = next++) {
        const sent = await sender.send({
          url: `http://h${i}.example:${port}/`,
          headers: [],
          body: Buffer.from("{}"),
          timeoutMs: 5_000,
        });
        expect(sent.ok).toBe(true);
      }
    };
    await Promise.all(Array.from({ length: atOnce }, sendAll));
    // Those under way are beyond the bound, and each that is closed may still be closing.
    expect(most).toBeLessThanOrEqual(maxPools + 2 * atOnce);
  });

  it.each(["nonsense", "", "ftp://example.com/", "http://", "http://exa mple/"])(
    "fails for the URL %j",
    async (url) => {
      expect((await sendFailing(url)).errorCode).toMatch(/^(ERR_INVALID_URL|UND_ERR_INVALID_ARG)$/);
    },
  );

  it("fails for a header that would break out", async () => {
    const sent = await sendFailing(on.receiver.url("/"), { headers: ["x-canary", "secret-value\r\nx: y"] });
    expect(sent.errorCode).toBe("UND_ERR_INVALID_ARG");
    expect(on.receiver.requests()).toHaveLength(0);
  });

  it("ends what is under way or waits when it is closed, and takes nothing more", async () => {
    on.sender = newSender({ connectionsPerOrigin: 1 });
    on.receiver.script("/hook", { hang: true });
    const underWay = sendFailing(on.receiver.url("/hook"));
    const waiting = sendFailing(on.receiver.url("/hook"));
    const connecting = sendFailing("http://slow.example/", {}, newSender({ lookup: () => {} }));
    await on.receiver.waitFor("/hook", 1);
    await on.sender.close();
    expect((await underWay).errorCode).toBe("UND_ERR_DESTROYED");
    expect((await waiting).errorCode).toBe("UND_ERR_DESTROYED");
    expect((await sendFailing(on.receiver.url("/hook"))).errorCode).toBe("UND_ERR_DESTROYED");
    await closeLast();
    expect((await connecting).errorCode).toBe("UND_ERR_DESTROYED");
  });
});
