/**
 * Delay before the next attempt in milliseconds: exponential with full jitter, uniform in
 * [0, min(cap, base x 2^(failedAttempts - 1))] (product.md, "backoff before attempt n+1").
 * `failedAttempts` counts from 1; `random` is uniform in [0, 1).
 */
export function backoffMs(options: {
  failedAttempts: number;
  baseSeconds: number;
  capSeconds: number;
  random: number;
}): number {
  // 2^n overflows nothing: the exponent is bounded long before the cap could be missed.
  const exponent = Math.min(options.failedAttempts - 1, 32);
  const ceilingSeconds = Math.min(options.capSeconds, options.baseSeconds * 2 ** exponent);
  return Math.floor(options.random * ceilingSeconds * 1_000);
}
