"use client";

import { useTimeZone } from "#components/layout/preferences.ts";
import { useIsAffiliate } from "#components/layout/reader.tsx";
import type { Attempt } from "#lib/deliveries/schema.ts";
import { formatAbsolute } from "#lib/format.ts";

/** When it started, which worker made it, which is nothing to its owner, and whether it came too late to count. */
export function ExactAttemptTime({ attempt }: { attempt: Attempt }) {
  const timeZone = useTimeZone();
  const isOwner = useIsAffiliate();
  return (
    <p className="text-ink-3 text-xs">
      Started <time dateTime={attempt.started_at}>{formatAbsolute(attempt.started_at, timeZone)}</time>
      {attempt.worker_id === null || isOwner ? null : ` by worker ${attempt.worker_id}`}
      {attempt.late ? ". Its answer came after the worker's lease had ended, so it decided nothing." : ""}
    </p>
  );
}
