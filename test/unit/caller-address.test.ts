import fc from "fast-check";
import { expect, test } from "vitest";
import { callerAddress } from "#lib/api/prepare-requests.ts";

const of = (forwarded: string | undefined, trustedProxies: number, remoteAddress = "10.0.0.1") =>
  callerAddress(
    { headers: forwarded === undefined ? {} : { "x-forwarded-for": forwarded }, socket: { remoteAddress } },
    trustedProxies,
  );

test("without a trusted proxy it is the socket's other end, whatever the header says", () => {
  expect(of(undefined, 0)).toBe("10.0.0.1");
  expect(of("192.0.2.1", 0)).toBe("10.0.0.1");
  expect(of(undefined, 0, "::ffff:10.0.0.9")).toBe("10.0.0.9");
  expect(of(undefined, 0, "2001:db8::1")).toBe("2001:db8::1");
});

test("behind proxies it is what the outermost of them saw, and nothing that the caller wrote", () => {
  expect(of("192.0.2.1", 1)).toBe("192.0.2.1");
  expect(of("6.6.6.6, 192.0.2.1", 1)).toBe("192.0.2.1");
  expect(of("6.6.6.6, 192.0.2.1, 10.0.0.2", 2)).toBe("192.0.2.1");
});

test("with fewer entries than proxies it is the socket's other end, and never what the caller may have written", () => {
  expect(of(undefined, 2)).toBe("10.0.0.1");
  expect(of("6.6.6.6", 2)).toBe("10.0.0.1");
  expect(of("6.6.6.6, 192.0.2.1", 3)).toBe("10.0.0.1");
});

test("the place comes first: an entry that is no address moves none of the caller's into its place", () => {
  for (const entry of ["unknown", "", "_hidden", "[192.0.2.1]", "192.0.2.1:x", "192.0.2.1:80:80", "[::1"])
    expect(of(`6.6.6.6, ${entry}`, 1), entry).toBe("10.0.0.1");
  expect(of("6.6.6.6, unknown, 10.0.0.2", 2)).toBe("10.0.0.1");
  expect(of("6.6.6.6, 192.0.2.1, unknown", 2)).toBe("192.0.2.1");
});

test.each([
  ["192.0.2.1:50123", "192.0.2.1"],
  ["2001:db8::1", "2001:db8::1"],
  ["[2001:db8::1]", "2001:db8::1"],
  ["[2001:db8::1]:443", "2001:db8::1"],
  ["::ffff:192.0.2.1", "192.0.2.1"],
  ["[::FFFF:192.0.2.1]:80", "192.0.2.1"],
])("%s is %s", (entry, address) => {
  expect(of(`6.6.6.6, ${entry} `, 1)).toBe(address);
});

test("whatever the caller writes, what the proxies append decides", () => {
  fc.assert(
    fc.property(fc.string(), fc.integer({ min: 1, max: 3 }), (written, proxies) => {
      const appended = ["192.0.2.1", "10.0.0.3", "10.0.0.2"].slice(0, proxies);
      expect(of([written, ...appended].join(", "), proxies)).toBe("192.0.2.1");
    }),
  );
});
