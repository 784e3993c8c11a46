import type { Requeue } from "#lib/requeues/schema.ts";
import { progressOf, progressWords } from "#lib/requeues/words.ts";

/** How far a requeue is: what it did, and what it left as it was. */
export function RequeueProgress({ requeue }: { requeue: Requeue }) {
  const { seen } = progressOf(requeue);
  const share = (count: number) => `${(100 * count) / Math.max(1, requeue.total)}%`;
  return (
    <div
      role="progressbar"
      aria-label="Progress"
      aria-valuemin={0}
      aria-valuemax={requeue.total}
      aria-valuenow={seen}
      aria-valuetext={progressWords(requeue)}
      className="flex h-2 w-full overflow-hidden rounded-full border border-line bg-surface"
    >
      <span className="bg-chart-ok" style={{ width: share(requeue.done) }} />
      <span className="bg-chart-bad" style={{ width: share(seen - requeue.done) }} />
    </div>
  );
}
