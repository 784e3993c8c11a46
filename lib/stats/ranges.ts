/** The ranges that end now. */
export const historyRanges = ["1h", "24h", "7d", "30d"] as const;
export type HistoryRange = (typeof historyRanges)[number];
export const rangeMs = {
  "1h": 3_600_000,
  "24h": 86_400_000,
  "7d": 604_800_000,
  "30d": 2_592_000_000,
} satisfies Record<HistoryRange, number>;

/** What each bucket of a history spans; days are those of UTC. */
export type HistoryResolution = "minute" | "hour" | "day";
export const resolutionMs = {
  minute: 60_000,
  hour: 3_600_000,
  day: 86_400_000,
} satisfies Record<HistoryResolution, number>;
