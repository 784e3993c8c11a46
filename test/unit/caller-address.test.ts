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

test("with fewer steps than there should be it is the outermost known", () => {
  expect(of(undefined, 2)).toBe("10.0.0.1");
  expect(of("nonsense, 192.0.2.1", 3)).toBe("192.0.2.1");
});
