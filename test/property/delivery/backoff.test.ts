import fc from "fast-check";
import { expect, test } from "vitest";
import { backoffMs } from "#lib/delivery/backoff.ts";

test("the delay lies within [0, min(cap, base x 2^(n-1))]", () => {
  fc.assert(
    fc.property(
      fc.record({
        failedAttempts: fc.integer({ min: 1, max: 1_000 }),
        baseSeconds: fc.integer({ min: 1, max: 3_600 }),
        capSeconds: fc.integer({ min: 1, max: 86_400 }),
        random: fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true }),
      }),
      (options) => {
        const delay = backoffMs(options);
        const ceilingMs =
          Math.min(options.capSeconds, options.baseSeconds * 2 ** (options.failedAttempts - 1)) * 1_000;
        expect(Number.isInteger(delay)).toBe(true);
        expect(delay).toBeGreaterThanOrEqual(0);
        expect(delay).toBeLessThanOrEqual(ceilingMs);
      },
    ),
  );
});

test("the whole range is used: full jitter, not a fraction of it", () => {
  const at = (random: number) => backoffMs({ failedAttempts: 3, baseSeconds: 30, capSeconds: 3_600, random });
  expect(at(0)).toBe(0);
  expect(at(0.5)).toBe(60_000);
  expect(at(0.999999)).toBe(119_999);
});
