import { describe, expect, it } from "vitest";
import { retryPresets } from "#lib/endpoints/retry-presets.ts";
import { retryWindowSeconds, retryWords } from "#lib/endpoints/retry-words.ts";

describe("retry words", () => {
  it("knows the windows of the two presets", () => {
    expect(retryWindowSeconds(retryPresets.quick)).toEqual({ longest: 450, average: 225 });
    expect(retryWindowSeconds(retryPresets.patient).longest / 3_600).toBeCloseTo(53.05, 2);
  });

  it("says how long it keeps trying", () => {
    expect(retryWords(retryPresets.quick)).toBe(
      "Tries up to 5 times. After the first failure it keeps trying for 3 min 45 s on average and 7 min 30 s at most, then the delivery becomes a dead letter.",
    );
    expect(retryWords({ max_attempts: 1, base_seconds: 30, cap_seconds: 60 })).toBe(
      "Tries once and never again.",
    );
  });

  it("stops growing at the cap", () => {
    expect(retryWindowSeconds({ max_attempts: 4, base_seconds: 60, cap_seconds: 60 }).longest).toBe(180);
    expect(
      retryWindowSeconds({ max_attempts: 30, base_seconds: 3_600, cap_seconds: 86_400 }).longest,
    ).toBeLessThan(30 * 86_400);
  });
});
