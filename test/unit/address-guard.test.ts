import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { checkEndpointUrl, isAllowedAddress } from "#lib/http/address-guard.ts";

const nothingAllowed = { allowHttp: false, allowedSubnets: [] };

describe("isAllowedAddress", () => {
  it.each([
    "8.8.8.8",
    "93.184.216.34",
    "1.1.1.1",
    "172.15.255.255",
    "172.32.0.1",
    "100.63.255.255",
    "2606:4700:4700::1111",
    "2a00:1450:4001:81c::200e",
    "::ffff:8.8.8.8",
    "64:ff9b::808:808",
    "2002:808:808::1",
    // Teredo: server 65.54.227.120, client 192.0.2.45 would be documentation; this client is 8.8.8.8.
    "2001:0:4136:e378:8000:63bf:f7f7:f7f7",
  ])("lets %s pass", (ip) => expect(isAllowedAddress(ip, [])).toBe(true));

  it.each([
    ["unspecified", "0.0.0.0"],
    ["this network", "0.1.2.3"],
    ["loopback", "127.0.0.1"],
    ["loopback", "127.255.255.254"],
    ["private", "10.0.0.5"],
    ["private", "172.16.0.1"],
    ["private", "172.31.255.255"],
    ["private", "192.168.1.1"],
    ["link-local", "169.254.169.254"],
    ["carrier-grade NAT", "100.64.0.1"],
    ["protocol assignments", "192.0.0.8"],
    ["documentation", "192.0.2.1"],
    ["documentation", "198.51.100.7"],
    ["documentation", "203.0.113.9"],
    ["6to4 relay", "192.88.99.1"],
    ["benchmarking", "198.18.0.1"],
    ["multicast", "224.0.0.1"],
    ["reserved", "240.0.0.1"],
    ["broadcast", "255.255.255.255"],
    ["unspecified", "::"],
    ["loopback", "::1"],
    ["link-local", "fe80::1"],
    ["link-local with a zone", "fe80::1%eth0"],
    ["site-local", "fec0::1"],
    ["unique-local", "fc00::1"],
    ["unique-local", "fd12:3456:789a::1"],
    ["multicast", "ff02::1"],
    ["discard", "100::1"],
    ["documentation", "2001:db8::1"],
    ["documentation", "3fff::1"],
    ["benchmarking", "2001:2::1"],
    ["ORCHID", "2001:20::1"],
    ["segment routing", "5f00::1"],
    ["never given out", "4000::1"],
    ["IPv4-mapped", "::ffff:127.0.0.1"],
    ["IPv4-mapped, in hex", "::ffff:a00:5"],
    ["IPv4-compatible", "::127.0.0.1"],
    ["IPv4-translated", "::ffff:0:10.0.0.5"],
    ["NAT64", "64:ff9b::a9fe:a9fe"],
    ["local NAT64", "64:ff9b:1::808:808"],
    ["6to4", "2002:a00:5::1"],
    ["6to4", "2002:7f00:1::"],
    ["Teredo to a private client", "2001:0:4136:e378:8000:63bf:f5ff:fffa"],
    ["Teredo through a private server", "2001:0:a00:5:8000:63bf:f7f7:f7f7"],
    ["no address", "example.com"],
    ["no address", ""],
    ["shorthand", "127.1"],
  ])("refuses %s: %s", (_kind, ip) => expect(isAllowedAddress(ip, [])).toBe(false));

  it("lets through what an allowed subnet covers, whatever form it comes in", () => {
    const subnets = ["10.0.0.0/8", "::1/128", "fd00::/8"];
    for (const ip of ["10.0.0.5", "::ffff:10.0.0.5", "64:ff9b::a00:5", "::1", "fd00::7"]) {
      expect(isAllowedAddress(ip, subnets), ip).toBe(true);
    }
    for (const ip of ["127.0.0.1", "192.168.0.1", "::2", "fc00::7", "::ffff:127.0.0.1"]) {
      expect(isAllowedAddress(ip, subnets), ip).toBe(false);
    }
  });

  it("judges an IPv4 address alike in every form that carries it", () => {
    fc.assert(
      fc.property(fc.ipV4(), (ip) => {
        const [a = 0, b = 0, c = 0, d = 0] = ip.split(".").map(Number);
        const hex = `${((a << 8) | b).toString(16)}:${((c << 8) | d).toString(16)}`;
        const isAllowed = isAllowedAddress(ip, ["10.0.0.0/8"]);
        for (const form of [
          `::ffff:${ip}`,
          `::ffff:${hex}`,
          `::ffff:0:${hex}`,
          `64:ff9b::${hex}`,
          `2002:${hex}::1`,
        ]) {
          expect(isAllowedAddress(form, ["10.0.0.0/8"]), form).toBe(isAllowed);
        }
      }),
    );
  });

  it("does not take an allowed IPv6 subnet for leave to tunnel to anywhere", () => {
    expect(isAllowedAddress("64:ff9b::a9fe:a9fe", ["64:ff9b::/96"])).toBe(false);
    expect(isAllowedAddress("::ffff:10.0.0.5", ["::/0"])).toBe(false);
  });
});

describe("checkEndpointUrl", () => {
  it.each([
    ["https://example.com", "https://example.com/"],
    ["https://example.com/hook", "https://example.com/hook"],
    ["https://example.com/hook/", "https://example.com/hook/"],
    ["https://example.com/hook?a=1&b=%20x", "https://example.com/hook?a=1&b=%20x"],
    ["HTTPS://Example.COM:443/Hook", "https://example.com/Hook"],
    ["https://example.com:8443/hook", "https://example.com:8443/hook"],
    ["https://bücher.example/straße", "https://xn--bcher-kva.example/stra%C3%9Fe"],
    ["https://[2606:4700:4700::1111]:8443/x", "https://[2606:4700:4700::1111]:8443/x"],
    ["https://8.8.8.8/x", "https://8.8.8.8/x"],
    ["https://localhost.example.com/", "https://localhost.example.com/"],
    ["https://example.com./", "https://example.com./"],
    ["https://example.com/a@b:c", "https://example.com/a@b:c"],
  ])("takes %s as %s", (text, url) =>
    expect(checkEndpointUrl(text, nothingAllowed)).toEqual({ ok: true, url }),
  );

  it("gives back what it takes again unchanged", () => {
    const first = checkEndpointUrl("https://Bücher.example/a b/../c?q=ä", nothingAllowed);
    expect(first.ok && checkEndpointUrl(first.url, nothingAllowed)).toEqual(first);
  });

  it.each([
    "2130706433",
    "0x7f.1",
    "0177.0.0.1",
    "127.1",
    "127.0.0.1",
    "127.0.0.1.",
    "[::1]",
    "[::]",
    "0.0.0.0",
    "[::ffff:127.0.0.1]",
    "[64:ff9b::a9fe:a9fe]",
    "169.254.169.254",
    "10.0.0.5",
    "[fd00::1]",
    "localhost",
    "LOCALHOST",
    "localhost.",
    "api.localhost",
    "api.localhost.",
    "127。0。0。1",
    "%31%32%37.0.0.1",
  ])("refuses the host %s, at any port", (host) => {
    for (const text of [`https://${host}/hook`, `https://${host}:8443/hook`]) {
      const check = checkEndpointUrl(text, nothingAllowed);
      expect(!check.ok && check.message, text).toContain("must be publicly reachable");
    }
  });

  it("refuses port 0, which a socket would take for another one", () => {
    const check = checkEndpointUrl("https://example.com:0/hook", nothingAllowed);
    expect(!check.ok && check.message).toContain("port 0");
  });

  it("takes them when an allowed subnet covers them", () => {
    const policy = { allowHttp: true, allowedSubnets: ["127.0.0.0/8"] };
    expect(checkEndpointUrl("http://localhost:4000/x", policy)).toEqual({
      ok: true,
      url: "http://localhost:4000/x",
    });
    expect(checkEndpointUrl("http://127.1:4000/x", policy)).toEqual({
      ok: true,
      url: "http://127.0.0.1:4000/x",
    });
    expect(checkEndpointUrl("http://10.0.0.5/x", policy).ok).toBe(false);
  });

  it.each([
    ["example.com/hook", "must be a complete URL"],
    ["/hook", "must be a complete URL"],
    ["https://", "must be a complete URL"],
    ["https://exa mple.com/", "must be a complete URL"],
    ["https://example.com:99999/", "must be a complete URL"],
    ["ftp://example.com/", "must begin with https://"],
    ["javascript:alert(1)", "must begin with https://"],
    ["http://example.com/", "plain http is not allowed"],
    ["https://user:pass@example.com/", "must not contain a user name or password"],
    ["https://user@example.com/", "give credentials in a header"],
    ["https://example.com/a#b", "must not contain a fragment"],
    ["https://example.com/a#", "must not contain a fragment"],
    ["https://example.com/a?b=#click#", "must not contain a fragment"],
    ["https://exam\nple.com/", "must not contain tabs or line breaks"],
  ])("refuses %j: %s", (text, message) => {
    const check = checkEndpointUrl(text, nothingAllowed);
    expect(!check.ok && check.message).toContain(message);
  });

  it("takes http only where it is allowed", () => {
    const policy = { allowHttp: true, allowedSubnets: [] };
    expect(checkEndpointUrl("http://example.com:80/", policy)).toEqual({
      ok: true,
      url: "http://example.com/",
    });
  });
});
