import { z } from "zod";
import { plainText } from "#lib/api/text.ts";
import { maxSearchableLength } from "#lib/search/limits.ts";

/** A count that stops early: `capped` means "at least". */
export type CappedCount = { count: number; capped: boolean };

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
  /** Made or due longest ago of what waits and is not held. */
  oldest_waiting_at: string | null;
  endpoints: { active: number; paused: number; disabled: number; failing: number };
  workers_alive: number;
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
