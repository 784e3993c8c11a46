import { bucketOf } from "#lib/delivery/latency.ts";
import { outcomeClassOf } from "#lib/delivery/outcome-class.ts";
import { isUnsent } from "#lib/delivery/unsent.ts";
import { type LatencyRow, latencyBatchSize } from "#lib/queue/latency.ts";
import type { Settlement } from "#lib/queue/settle.ts";
import {
  everyEndpoint,
  type LatencyResolution,
  latencyResolutions,
  type OutcomeClass,
  outcomeClasses,
} from "#lib/vocabulary.ts";

const outcomeIndex = Object.fromEntries(outcomeClasses.map((name, i) => [name, i])) as Record<
  OutcomeClass,
  number
>;

const spanMs = { minute: 60_000, hour: 3_600_000 } satisfies Record<LatencyResolution, number>;

/** Attempts that a tally gathers before it sorts them: most have fewer, and appending is the cheapest there is. */
const gatheredAtOnce = 100;

export type LatencyRecorder = {
  /** Counts attempts whose results are stored, for their endpoints, their affiliates and the deployment. */
  count: (results: readonly Settlement[]) => void;
  /** Writes what has changed; what cannot be written is kept for the next time. */
  flush: () => Promise<void>;
};

/** Each attempt as one number, its duration's bucket and its outcome: those to be sorted, and how many of each. */
type Tally = Pick<LatencyRow, "subjectId" | "resolution" | "bucketAtMs"> & {
  fresh: number[];
  counts: Map<number, number>;
  changed: boolean;
};

/**
 * Counts durations and outcomes by endpoint in the minute and the hour in which they ended, by the database's clock.
 * Time only goes on here: what ended earlier and comes late counts as now, so a bucket that is over never changes,
 * and its tallies are forgotten once they are written. A crash loses what was counted since the last flush; the raw
 * samples are in the attempts.
 */
export function createLatencyRecorder(write: (rows: LatencyRow[]) => Promise<void>): LatencyRecorder {
  let nowMs = 0;
  const current = {
    minute: { atMs: 0, tallies: new Map<string, Tally>() },
    hour: { atMs: 0, tallies: new Map<string, Tally>() },
  };
  /** Of buckets that are over, not written yet. */
  const over = new Set<Tally>();
  let flushed: Promise<void> = Promise.resolve();

  function turnTo(timeMs: number): void {
    nowMs = Math.max(nowMs, timeMs);
    for (const resolution of latencyResolutions) {
      const atMs = Math.floor(nowMs / spanMs[resolution]) * spanMs[resolution];
      if (atMs === current[resolution].atMs) continue;
      for (const tally of current[resolution].tallies.values()) if (tally.changed) over.add(tally);
      current[resolution] = { atMs, tallies: new Map() };
    }
  }

  function tallyOf(resolution: LatencyResolution, subjectId: string): Tally {
    const { atMs: bucketAtMs, tallies } = current[resolution];
    const known = tallies.get(subjectId);
    if (known) return known;
    const tally = { subjectId, resolution, bucketAtMs, fresh: [], counts: new Map(), changed: false };
    tallies.set(subjectId, tally);
    return tally;
  }

  async function writeChanged(): Promise<void> {
    const open = latencyResolutions.flatMap((resolution) => [...current[resolution].tallies.values()]);
    const changed = [...over, ...open.filter((tally) => tally.changed)];
    for (let from = 0; from < changed.length; from += latencyBatchSize) {
      const batch = changed.slice(from, from + latencyBatchSize);
      const rows = batch.map(toRow);
      for (const tally of batch) tally.changed = false;
      try {
        await write(rows);
        for (const tally of batch) if (!tally.changed) over.delete(tally);
      } catch (error) {
        for (const tally of batch) {
          tally.changed = true;
          if (tally.bucketAtMs !== current[tally.resolution].atMs) over.add(tally);
        }
        throw error;
      }
    }
  }

  return {
    count: (results) => {
      turnTo(results.reduce((latest, r) => Math.max(latest, r.startedAtMs + r.durationMs), 0));
      for (const { endpointId, affiliateId, durationMs, attemptReason } of results) {
        // No request was made, so nothing took any time.
        if (attemptReason !== null && isUnsent(attemptReason)) continue;
        const sample =
          bucketOf(durationMs) * outcomeClasses.length + outcomeIndex[outcomeClassOf(attemptReason)];
        for (const resolution of latencyResolutions) {
          add(tallyOf(resolution, endpointId), sample);
          add(tallyOf(resolution, affiliateId), sample);
          add(tallyOf(resolution, everyEndpoint), sample);
        }
      }
    },
    flush: () => {
      flushed = flushed.catch(() => undefined).then(writeChanged);
      return flushed;
    },
  };
}

function add(tally: Tally, sample: number): void {
  tally.fresh.push(sample);
  tally.changed = true;
  if (tally.fresh.length >= gatheredAtOnce) sortIn(tally);
}

function sortIn({ fresh, counts }: Tally): void {
  for (const sample of fresh) counts.set(sample, (counts.get(sample) ?? 0) + 1);
  fresh.length = 0;
}

function toRow(tally: Tally): LatencyRow {
  sortIn(tally);
  const { subjectId, resolution, bucketAtMs } = tally;
  const outcomes = Object.fromEntries(outcomeClasses.map((name) => [name, 0])) as LatencyRow["outcomes"];
  const buckets: number[] = [];
  const counts: number[] = [];
  for (const [sample, n] of [...tally.counts].sort(([a], [b]) => a - b)) {
    const bucket = Math.floor(sample / outcomeClasses.length);
    outcomes[outcomeClasses[sample % outcomeClasses.length] as OutcomeClass] += n;
    // A bucket's outcomes follow each other.
    if (buckets.at(-1) !== bucket) {
      buckets.push(bucket);
      counts.push(0);
    }
    counts[counts.length - 1] = (counts.at(-1) ?? 0) + n;
  }
  return { subjectId, resolution, bucketAtMs, outcomes, histogram: { buckets, counts } };
}
