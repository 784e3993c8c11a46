const spanSeconds = 60;

export type MinuteCounter = {
  /** Counts `n` at this time of a monotonic clock, in milliseconds. */
  add: (n: number, nowMs: number) => void;
  /** How many were counted in the sixty seconds before, the current one included. */
  total: (nowMs: number) => number;
};

/** A count that forgets what is over a minute old, second by second, so that it takes the same space at any pace. */
export function createMinuteCounter(): MinuteCounter {
  const bySecond = new Map<number, number>();
  const forget = (second: number) => {
    for (const counted of bySecond.keys()) {
      if (counted > second - spanSeconds) break;
      bySecond.delete(counted);
    }
  };
  return {
    add: (n, nowMs) => {
      const second = Math.floor(nowMs / 1_000);
      forget(second);
      bySecond.set(second, (bySecond.get(second) ?? 0) + n);
    },
    total: (nowMs) => {
      forget(Math.floor(nowMs / 1_000));
      return [...bySecond.values()].reduce((sum, n) => sum + n, 0);
    },
  };
}
