import fc from "fast-check";
import { expect, test } from "vitest";
import { compareDecimals, isDecimal } from "#lib/delivery/decimal.ts";

const scale = 1_000_000n;
/** Millionths, and the number as text with its point after any of its digits. */
const written = fc
  .record({
    millionths: fc.bigInt({ min: -(10n ** 30n), max: 10n ** 30n }),
    point: fc.integer({ min: 1, max: 18 }),
  })
  .map(({ millionths, point }) => {
    const sign = millionths < 0n ? "-" : "";
    const digits = (millionths < 0n ? -millionths : millionths).toString().padStart(20, "0");
    const exponent = digits.length - point - 6;
    return { millionths, text: `${sign}${digits.slice(0, point)}.${digits.slice(point)}e${exponent}` };
  });

test("comparing decimals is comparing numbers, however they are written", () => {
  fc.assert(
    fc.property(written, written, (a, b) => {
      expect(isDecimal(a.text)).toBe(true);
      const expected = a.millionths < b.millionths ? -1 : a.millionths > b.millionths ? 1 : 0;
      expect(Math.sign(compareDecimals(a.text, b.text))).toBe(expected);
    }),
  );
});

test("equal ones below 0 compare as 0, and not as -0", () => {
  expect(compareDecimals("-2.5", "-25e-1")).toBe(0);
});

test("whole numbers compare as bigint does", () => {
  fc.assert(
    fc.property(fc.bigInt(), fc.bigInt(), (a, b) => {
      const expected = a < b ? -1 : a > b ? 1 : 0;
      expect(Math.sign(compareDecimals(String(a), String(b)))).toBe(expected);
      expect(Math.sign(compareDecimals(`${a * scale}e-6`, String(b)))).toBe(expected);
    }),
  );
});
