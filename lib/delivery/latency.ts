/**
 * Durations counted in buckets whose bounds grow by 1.5 % from 0.1 ms on: any quantile lies within 0.75 % of the
 * exact one, and histograms of any hours or workers can be added up. Sparse: `buckets` ascending, and as many
 * `counts`.
 */
export type LatencyHistogram = { buckets: readonly number[]; counts: readonly number[] };

export const emptyHistogram: LatencyHistogram = { buckets: [], counts: [] };

/** Where the first bucket ends. All that is faster counts as this. */
const shortestMs = 0.1;
const bucketGrowth = 1.015;

/** The histogram of some durations. */
export function histogramOf(durationsMs: readonly number[]): LatencyHistogram {
  const counts = new Map<number, number>();
  for (const durationMs of durationsMs) count(counts, bucketOf(durationMs), 1);
  return sparse(counts);
}

/** All of them in one. */
export function mergeHistograms(histograms: readonly LatencyHistogram[]): LatencyHistogram {
  const counts = new Map<number, number>();
  for (const histogram of histograms) {
    histogram.buckets.forEach((bucket, i) => {
      count(counts, bucket, histogram.counts[i] as number);
    });
  }
  return sparse(counts);
}

/** How many durations it holds. */
export function samplesIn(histogram: LatencyHistogram): number {
  return histogram.counts.reduce((total, n) => total + n, 0);
}

/**
 * The duration below which the share `q` of all lies, in milliseconds, interpolated between two neighbours as
 * PostgreSQL's percentile_cont does; null when there is none.
 */
export function quantileMs(histogram: LatencyHistogram, q: number): number | null {
  const samples = samplesIn(histogram);
  if (samples === 0) return null;
  const rank = q * (samples - 1);
  const below = durationAt(histogram, Math.floor(rank));
  const above = durationAt(histogram, Math.ceil(rank));
  return below + (above - below) * (rank - Math.floor(rank));
}

/** The number of the bucket that a duration falls into. */
export function bucketOf(durationMs: number): number {
  return Math.max(0, Math.ceil(Math.log(durationMs / shortestMs) / Math.log(bucketGrowth)));
}

/** The duration that stands for a bucket: as far, in proportion, from its lower bound as from its upper one. */
function durationOf(bucket: number): number {
  return bucket === 0 ? shortestMs : (shortestMs * bucketGrowth ** bucket * 2) / (1 + bucketGrowth);
}

/** The duration at a rank, counted from 0 in ascending order. */
function durationAt(histogram: LatencyHistogram, rank: number): number {
  let seen = 0;
  const at = histogram.counts.findIndex((n) => {
    seen += n;
    return seen > rank;
  });
  return durationOf(histogram.buckets[at] as number);
}

function count(counts: Map<number, number>, bucket: number, n: number): void {
  counts.set(bucket, (counts.get(bucket) ?? 0) + n);
}

function sparse(counts: Map<number, number>): LatencyHistogram {
  const entries = [...counts].sort(([a], [b]) => a - b);
  return { buckets: entries.map(([bucket]) => bucket), counts: entries.map(([, n]) => n) };
}
