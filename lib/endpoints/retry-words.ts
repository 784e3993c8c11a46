import type { RetryPolicy } from "#lib/endpoints/schema.ts";
import { formatSpan } from "#lib/format.ts";

/**
 * How long a policy keeps trying after its first attempt, in seconds, without the time that the attempts
 * themselves take. The wait before attempt n+1 is uniform in [0, min(cap, base x 2^(n-1))] (product.md).
 */
export function retryWindowSeconds(policy: RetryPolicy): { longest: number; average: number } {
  const waits = policy.max_attempts - 1;
  let longest = 0;
  let wait = policy.base_seconds;
  let counted = 0;
  for (; counted < waits && wait < policy.cap_seconds; counted += 1) {
    longest += wait;
    wait *= 2;
  }
  longest += (waits - counted) * policy.cap_seconds;
  return { longest, average: longest / 2 };
}

/** One attempt of a policy: how long at most after the one before, and after the first, in seconds. */
export type ScheduledAttempt = { attempt: number; waitSeconds: number; sinceFirstSeconds: number };

/** When each attempt after the first goes at the latest; on average in half of that time. */
export function retrySchedule(policy: RetryPolicy): ScheduledAttempt[] {
  return Array.from({ length: policy.max_attempts - 1 }, (_, index) => {
    const upTo = (attempts: number) => retryWindowSeconds({ ...policy, max_attempts: attempts }).longest;
    const sinceFirstSeconds = upTo(index + 2);
    return { attempt: index + 2, waitSeconds: sinceFirstSeconds - upTo(index + 1), sinceFirstSeconds };
  });
}

/** The policy in one or two plain sentences. */
export function retryWords(policy: RetryPolicy): string {
  if (policy.max_attempts === 1) return "Tries once and never again.";
  const { longest, average } = retryWindowSeconds(policy);
  return `Tries up to ${policy.max_attempts} times. After the first failure it keeps trying for ${formatSpan(average * 1_000)} on average and ${formatSpan(longest * 1_000)} at most, then the delivery becomes a dead letter.`;
}
