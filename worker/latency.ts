import { addDurations, emptyHistogram, type LatencyHistogram } from "#lib/delivery/latency.ts";
import { isUnsent } from "#lib/delivery/unsent.ts";
import { type LatencyRow, latencyBatchSize } from "#lib/queue/latency.ts";
import type { Settlement } from "#lib/queue/settle.ts";
import { everyEndpoint, type LatencyResolution, latencyResolutions } from "#lib/vocabulary.ts";

const spanMs = { minute: 60_000, hour: 3_600_000 } satisfies Record<LatencyResolution, number>;
/** Durations that a tally gathers before it works them into its histogram. */
const gatheredAtOnce = 500;

export type LatencyRecorder = {
  /** Counts attempts whose results are stored, for their endpoints and for the deployment. */
  count: (results: readonly Settlement[]) => void;
  /** Writes what has changed; what cannot be written is kept for the next time. */
  flush: () => Promise<void>;
};

type Tally = Omit<LatencyRow, "histogram"> & {
  histogram: LatencyHistogram;
  fresh: number[];
  changed: boolean;
};

/**
 * Counts durations by endpoint in the minute and the hour in which they ended, by the database's clock. Time only
 * goes on here: what ended earlier and comes late counts as now, so a bucket that is over never changes, and its
 * tallies are forgotten once they are written. A crash loses what was counted since the last flush; the raw
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

  function tallyOf(resolution: LatencyResolution, endpointId: string): Tally {
    const { atMs: bucketAtMs, tallies } = current[resolution];
    const known = tallies.get(endpointId);
    if (known) return known;
    const counts = { attempts: 0, delivered: 0, histogram: emptyHistogram, fresh: [], changed: false };
    const tally = { endpointId, resolution, bucketAtMs, ...counts };
    tallies.set(endpointId, tally);
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
      for (const { endpointId, durationMs, outcome, attemptReason } of results) {
        // No request was made, so nothing took any time.
        if (attemptReason !== null && isUnsent(attemptReason)) continue;
        for (const resolution of latencyResolutions) {
          add(tallyOf(resolution, endpointId), durationMs, outcome === "delivered");
          add(tallyOf(resolution, everyEndpoint), durationMs, outcome === "delivered");
        }
      }
    },
    flush: () => {
      flushed = flushed.catch(() => undefined).then(writeChanged);
      return flushed;
    },
  };
}

function add(tally: Tally, durationMs: number, delivered: boolean): void {
  tally.attempts++;
  if (delivered) tally.delivered++;
  tally.changed = true;
  tally.fresh.push(durationMs);
  if (tally.fresh.length >= gatheredAtOnce) workIn(tally);
}

function workIn(tally: Tally): void {
  tally.histogram = addDurations(tally.histogram, tally.fresh);
  tally.fresh = [];
}

function toRow(tally: Tally): LatencyRow {
  workIn(tally);
  const { endpointId, resolution, bucketAtMs, attempts, delivered, histogram } = tally;
  return { endpointId, resolution, bucketAtMs, attempts, delivered, histogram };
}
