import fc from "fast-check";
import { expect, test } from "vitest";
import { decide } from "#lib/delivery/decide.ts";
import { parseRetryAfter, retryAfterCapMs } from "#lib/delivery/retry-after.ts";

const now = fc.integer({ min: Date.UTC(2024, 0), max: Date.UTC(2090, 0) });

test("whatever a server writes, the wait lies between nothing and a day", () => {
  fc.assert(
    fc.property(
      fc.oneof(fc.string(), fc.integer().map(String), fc.bigInt().map(String)),
      now,
      (value, nowMs) => {
        const retryAfter = parseRetryAfter(value, nowMs);
        if (retryAfter === null) return;
        expect(retryAfter.delayMs).toBeGreaterThanOrEqual(0);
        expect(retryAfter.delayMs).toBeLessThanOrEqual(retryAfterCapMs);
        if (retryAfter.capped) expect(retryAfter.delayMs).toBe(retryAfterCapMs);
      },
    ),
  );
});

test("a date means the same in all three forms, and is waited for to the second", () => {
  const short = ["Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"];
  const long = ["Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday"];
  fc.assert(
    fc.property(now, fc.integer({ min: 1_000, max: retryAfterCapMs }), (nowMs, aheadMs) => {
      const date = new Date(nowMs + aheadMs);
      const [, day = "", month = "", year = "", time = ""] = date.toUTCString().split(" ");
      const weekday = date.getUTCDay();
      const forms = [
        date.toUTCString(),
        `${long[weekday]}, ${day}-${month}-${year.slice(2)} ${time} GMT`,
        `${short[weekday]} ${month} ${day.replace(/^0/, " ")} ${time} ${year}`,
      ];
      const delayMs = Math.max(0, Math.floor(date.getTime() / 1_000) * 1_000 - nowMs);
      for (const form of forms) expect(parseRetryAfter(form, nowMs)).toEqual({ delayMs, capped: false });
    }),
  );
});

test("the next attempt is never before Retry-After, nor later than it and the backoff's ceiling", () => {
  fc.assert(
    fc.property(
      fc.record({
        attemptsCharged: fc.integer({ min: 1, max: 29 }),
        baseSeconds: fc.integer({ min: 1, max: 3_600 }),
        capSeconds: fc.integer({ min: 1, max: 86_400 }),
        retryAfterMs: fc.integer({ min: 0, max: retryAfterCapMs }),
      }),
      fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true }),
      (policy, random) => {
        const transient = { outcome: "transient", reason: "rate_limited" } as const;
        const decision = decide(transient, { ...policy, maxAttempts: 30, deliveredBefore: false }, random);
        const ceilingMs =
          Math.min(policy.capSeconds, policy.baseSeconds * 2 ** (policy.attemptsCharged - 1)) * 1_000;
        expect(decision.state).toBe("failed");
        if (decision.state !== "failed") return;
        expect(decision.delayMs).toBeGreaterThanOrEqual(policy.retryAfterMs);
        expect(decision.delayMs).toBeLessThanOrEqual(Math.max(policy.retryAfterMs, ceilingMs));
      },
    ),
  );
});
