import { expect, it } from "vitest";
import { createMinuteCounter } from "#worker/minute-counter.ts";

it("counts the last sixty seconds and forgets what is older", () => {
  const counter = createMinuteCounter();
  expect(counter.total(5_000)).toBe(0);
  counter.add(3, 5_000);
  counter.add(4, 5_900);
  counter.add(5, 40_000);
  expect(counter.total(64_999)).toBe(12);
  expect(counter.total(65_000)).toBe(5);
  counter.add(1, 99_000);
  expect(counter.total(99_500)).toBe(6);
  expect(counter.total(500_000)).toBe(0);
});
