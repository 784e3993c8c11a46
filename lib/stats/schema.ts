import { z } from "zod";
import { plainText } from "#lib/api/text.ts";

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

export const findQuery = z.object({ q: plainText().trim().min(1).max(200) });
export type FindQuery = z.infer<typeof findQuery>;

/** What an id that somebody pasted may stand for; none when nothing has it. */
export type Found = { data: { kind: "delivery" | "endpoint" | "event"; id: string }[] };
