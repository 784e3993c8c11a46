import { z } from "zod";
import { affiliateKey } from "#lib/affiliates/schema.ts";
import type { CappedCount } from "#lib/api/paging.ts";
import { plainText } from "#lib/api/text.ts";
import { isoTime } from "#lib/api/time.ts";
import { maxSearchableLength } from "#lib/search/limits.ts";
import type { BreakerState, OutcomeClass } from "#lib/vocabulary.ts";
import { type HistoryResolution, historyRanges } from "./ranges.ts";

export type Overview = {
  waiting: CappedCount;
  awaiting_retry: CappedCount;
  in_flight: CappedCount;
  dead_letters: CappedCount;
  delivered_last_hour: number;
  failed_attempts_last_hour: number;
  new_dead_letters_last_hour: number;
  /** Mean duration of the successful attempts of the last hour; null when there were none. */
  mean_success_ms: number | null;
  /** Of all attempts of the last hour, failed ones too; null when there were none. */
  p50_ms: number | null;
  p95_ms: number | null;
  p99_ms: number | null;
  /** Due longest ago of what waits for neither a hold, nor its ordering key, nor a breaker. */
  oldest_waiting_at: string | null;
  /** Something that is due is older than the longest that its endpoint's policy may keep trying. */
  past_retry_window: boolean;
  /** As many as each view of the endpoints holds; `active` are those neither paused nor disabled. */
  endpoints: {
    active: number;
    failing: number;
    breaker_open: number;
    slow: number;
    paused: number;
    disabled: number;
  };
  /** Alerts that have not ended. */
  open_alerts: number;
  workers_alive: number;
  /** Where the last hour begins, which is sixty minutes of the clock with the current one. */
  hour_from: string;
  /** One entry a minute for the last hour, oldest first, gaps included as zeros. */
  throughput: { minute: string; delivered: number; failed: number }[];
  at: string;
};

/** In a body and not in a URL, since it may be a value of an event. Pasted text brings white space along. */
export const findRequest = z.strictObject({ q: plainText().trim().min(1).max(maxSearchableLength) });
export type FindRequest = z.infer<typeof findRequest>;

/**
 * What a text that somebody pasted may stand for; none when nothing has it. As a searchable value it stands for the
 * deliveries of events that have it, or for such events that have no deliveries: `id` is its hash then.
 */
export type Found = {
  data: {
    kind: "delivery" | "endpoint" | "event" | "deliveries_by_value" | "events_by_value";
    id: string;
  }[];
};

/** Of one endpoint, of one affiliate, or of everything that the caller may see; the last 24 hours unless chosen. */
export const historyQuery = z
  .object({
    range: z.enum(historyRanges).optional(),
    from: isoTime.optional(),
    /** Now, unless given. */
    to: isoTime.optional(),
    endpoint: z.uuid("must be an endpoint's id").optional(),
    affiliate: affiliateKey.optional(),
  })
  .superRefine(({ range, from, to, endpoint, affiliate }, context) => {
    const refuse = (field: string, message: string) =>
      context.addIssue({ code: "custom", path: [field], message });
    if (range !== undefined && from !== undefined) refuse("range", "must not be given beside from");
    else if (range !== undefined && to !== undefined) refuse("range", "must not be given beside to");
    if (from === undefined && to !== undefined) refuse("from", "is needed beside to");
    if (from !== undefined && to !== undefined && Date.parse(from) >= Date.parse(to))
      refuse("to", "must be later than from");
    if (endpoint !== undefined && affiliate !== undefined)
      refuse("affiliate", "must not be given beside endpoint");
  });
export type HistoryQuery = z.infer<typeof historyQuery>;

/** Of some span of time; where nothing was attempted all but `attempts` is null. */
export type HistoryCounts = {
  attempts: number;
  p50_ms: number | null;
  p95_ms: number | null;
  p99_ms: number | null;
  outcomes: Record<OutcomeClass, number> | null;
};

export type History = {
  /** In whole buckets, so a little wider than what was asked for; the last one may not be over. */
  from: string;
  to: string;
  resolution: HistoryResolution;
  total: HistoryCounts;
  /** Oldest first, one for each span of the range. */
  buckets: (HistoryCounts & { at: string })[];
  /** Only of one endpoint. */
  breaker: BreakerTrack | null;
  at: string;
};

/** A breaker's states over a range, oldest first and without gaps; none of what is still to come. */
export type BreakerTrack = {
  spans: { state: BreakerState; from: string; to: string }[];
  /** How often it went from closed to open, and for how long it was not closed. */
  openings: number;
  seconds_not_closed: number;
};
