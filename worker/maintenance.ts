import { setTimeout as sleep } from "node:timers/promises";
import type pg from "pg";
import type { Logger } from "pino";
import { forgetExpiredSessions } from "#lib/accounts/queries.ts";
import { reencryptBatchSize, reencryptSecrets } from "#lib/endpoints/reencrypt.ts";
import { forgetOldNotices } from "#lib/notices/queries.ts";
import { diagnoseDeadLetters } from "#lib/queue/diagnosis.ts";
import { discardBatchSize, discardForDeletedEndpoints } from "#lib/queue/discard.ts";
import { latencyRollUpSize, latencyTrimSize, rollUpLatency, trimLatency } from "#lib/queue/latency.ts";
import { noticeChanges } from "#lib/queue/notices.ts";
import { firstKey, releaseBatchSize, releaseUnordered, sweepBlocked } from "#lib/queue/ordering.ts";
import { refreshLastHour, refreshPercentiles } from "#lib/queue/percentiles.ts";
import { reap, reapBatchSize } from "#lib/queue/reap.ts";
import { runRequeueBatch } from "#lib/queue/requeue.ts";
import { forgetOldWorkers } from "#lib/queue/workers.ts";
import { latencyResolutions } from "#lib/vocabulary.ts";
import { type NoticeOptions, noticeBatchSize, sendNotices } from "./notices.ts";

const reapEverySeconds = 5;
/** After an error, for a task that is repeated more often than that. */
const restSeconds = 5;
const tidyEverySeconds = 5;
/** So long a new requeue waits; looking for one costs a probe of an index that holds what is unfinished. */
const requeueEverySeconds = 0.25;
/** With the workers writing every 15 s, what is shown stays within a minute. */
const percentilesEverySeconds = 30;
const lastHourEverySeconds = 120;
const diagnoseEverySeconds = 30;
const noticeEverySeconds = 15;
const trimEverySeconds = 600;
const housekeepEverySeconds = 3_600;
const minutesKeptDays = 90;

/** What every worker does on a timer. Each task is safe to run in several workers at once. */
export function startMaintenance(options: {
  pool: pg.Pool;
  /** The current key, then those before it. */
  secretKeys: readonly Buffer[];
  mayReap: () => boolean;
  /** What sends notices. */
  notices: Pick<NoticeOptions, "sender" | "mailer" | "publicUrl">;
  log: Logger;
}): { stop: () => Promise<void> } {
  const { pool, secretKeys, mayReap, log } = options;
  let sweptTo = firstKey;
  let stopping = false;
  const tasks = [
    repeat("reap", reapEverySeconds, async () => {
      if (!mayReap()) return;
      const returned = await untilShort(() => reap(pool), reapBatchSize);
      if (returned > 0) log.warn({ deliveries: returned }, "took back deliveries of lost workers");
    }),
    repeat("discard", tidyEverySeconds, async () => {
      await untilShort(() => discardForDeletedEndpoints(pool), discardBatchSize);
    }),
    repeat("requeues", requeueEverySeconds, async () => {
      const onFault = (requeue: string, error: unknown) =>
        log.error({ err: error, requeue }, "a batch of a requeue failed");
      for (let waitMs: number | null = 0; waitMs !== null && !stopping; ) {
        await sleep(Math.min(waitMs, requeueEverySeconds * 1_000));
        waitMs = await runRequeueBatch(pool, onFault);
      }
    }),
    repeat("percentiles", percentilesEverySeconds, async () => void (await refreshPercentiles(pool))),
    repeat("last hour", lastHourEverySeconds, async () => void (await refreshLastHour(pool))),
    repeat("diagnosis", diagnoseEverySeconds, async () => {
      for (const { id, kind, state, endpointId } of await diagnoseDeadLetters(pool)) {
        const level = state === "opened" ? "warn" : "info";
        log[level]({ alertId: id, finding: kind, endpointId }, `finding ${state}`);
      }
    }),
    repeat("notices", noticeEverySeconds, async () => {
      const { notices } = options;
      const changed = await noticeChanges(pool, { email: notices.mailer !== null });
      if (changed > 0) log.info({ endpoints: changed }, "noted what owners of endpoints are to be told");
      await untilShort(() => sendNotices({ ...notices, pool, secretKeys, log }), noticeBatchSize);
    }),
    repeat("roll up latencies", trimEverySeconds, async () => {
      await untilShort(() => rollUpLatency(pool), latencyRollUpSize);
      for (const resolution of [...latencyResolutions, "day"] as const) {
        await untilShort(() => trimLatency(pool, resolution), latencyTrimSize);
      }
    }),
    repeat("re-encrypt", housekeepEverySeconds, async () => {
      const changed = await untilShort(() => reencryptSecrets(pool, secretKeys), reencryptBatchSize);
      if (changed > 0) log.info({ secrets: changed }, "encrypted secrets with the current key");
    }),
    repeat("order", tidyEverySeconds, async () => {
      await untilShort(() => releaseUnordered(pool), releaseBatchSize);
      const { freed, next } = await sweepBlocked(pool, sweptTo);
      sweptTo = next;
      if (freed > 0) log.info({ deliveries: freed }, "freed deliveries that nothing is in front of any more");
    }),
    repeat("housekeeping", housekeepEverySeconds, async () => {
      await pool.query("select posthorn.ensure_partitions()");
      await forgetOldWorkers(pool);
      await forgetOldNotices(pool);
      await forgetExpiredSessions(pool);
      await pool.query("delete from posthorn.delivery_minutes where minute < now() - $1 * interval '1 day'", [
        minutesKeptDays,
      ]);
    }),
  ];

  /** Repeats a batch operation until it does less than a whole batch, or it is time to stop; returns the sum. */
  async function untilShort(operation: () => Promise<number>, batchSize: number): Promise<number> {
    let sum = 0;
    while (!stopping) {
      const done = await operation();
      sum += done;
      if (done < batchSize) break;
    }
    return sum;
  }

  function repeat(name: string, seconds: number, task: () => Promise<void>): () => Promise<void> {
    let running: Promise<void> = Promise.resolve();
    let busy = false;
    let restsUntil = 0;
    const run = () => {
      if (busy || performance.now() < restsUntil) return;
      busy = true;
      running = task()
        .catch((error) => {
          log.error({ err: error, task: name }, "maintenance failed");
          restsUntil = performance.now() + (restSeconds - seconds) * 1_000;
        })
        .finally(() => {
          busy = false;
        });
    };
    run();
    const timer = setInterval(run, seconds * 1_000);
    return () => {
      clearInterval(timer);
      return running;
    };
  }

  return {
    stop: async () => {
      stopping = true;
      await Promise.all(tasks.map((stop) => stop()));
    },
  };
}
