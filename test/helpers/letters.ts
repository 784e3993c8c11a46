import { backoffMs } from "#lib/delivery/backoff.ts";
import { type Answer, classify } from "#lib/delivery/classify.ts";
import { bucketMs, type DeadLetterGroup, type EndpointHistory } from "#lib/delivery/diagnosis/types.ts";
import type { Reason } from "#lib/vocabulary.ts";
import { createChance } from "./fuzz.ts";

/** One dead letter, as histories are written down. */
export type Letter = {
  endpointId?: string;
  reason: Reason;
  status?: number | null;
  eventType?: string;
  atMs: number;
  id?: number;
  /** 5, as the default policy has it, unless given. */
  attempts?: number;
};

const hourMs = 3_600_000;

/** The dead letters grouped as the database does. */
export function groupsOf(letters: readonly Letter[]): DeadLetterGroup[] {
  const groups = Map.groupBy(letters, ({ endpointId = "e1", reason, status = null, eventType = "deposit" }) =>
    JSON.stringify({ endpointId, reason, status, eventType }),
  );
  return [...groups].map(([key, of]) => ({
    ...JSON.parse(key),
    buckets: [...Map.groupBy(of, ({ atMs }) => Math.floor(atMs / bucketMs))].map(([number, inside]) => ({
      number,
      count: inside.length,
      sampleId: Math.max(...inside.map(({ id, atMs }) => id ?? Math.floor(atMs / 1_000))),
      attempts: Math.max(...inside.map(({ attempts = 5 }) => attempts)),
    })),
  }));
}

/** An endpoint with the default policy of webhooks, to which nothing has ever been sent. */
export function historyOf(given: Partial<EndpointHistory> = {}): EndpointHistory {
  return {
    endpointId: "e1",
    affiliateId: "a1",
    maxAttempts: 5,
    baseSeconds: 30,
    capSeconds: 3_600,
    timeoutMs: 15_000,
    rateLimit: null,
    lastSuccessAtMs: null,
    p95Ms: null,
    hours: [],
    ...given,
  };
}

/**
 * What would have become of an event every `everyMs` for an endpoint whose server answers so at each time: attempts by
 * the real rules, with the waits that the seed gives.
 */
export function replay(given: {
  fromMs: number;
  toMs: number;
  everyMs: number;
  answer: (atMs: number, chance: number) => Answer;
  policy?: Partial<Pick<EndpointHistory, "maxAttempts" | "baseSeconds" | "capSeconds">>;
  eventType?: (n: number) => string;
  endpointId?: string;
}): { letters: Letter[]; history: EndpointHistory } {
  const chance = createChance(7);
  const random = () => chance.below(1_000_000) / 1_000_000;
  const history = historyOf({ ...given.policy, endpointId: given.endpointId ?? "e1" });
  const letters: Letter[] = [];
  const hours = new Map<number, { atMs: number; attempts: number; delivered: number }>();
  let lastSuccessAtMs: number | null = null;
  for (let n = 0, madeAtMs = given.fromMs; madeAtMs < given.toMs; n += 1, madeAtMs += given.everyMs) {
    let atMs = madeAtMs;
    for (let attempt = 1; ; attempt += 1) {
      const answer = given.answer(atMs, random());
      const { outcome, reason } = classify(answer);
      const hour = Math.floor(atMs / hourMs) * hourMs;
      const sum = hours.get(hour) ?? { atMs: hour, attempts: 0, delivered: 0 };
      sum.attempts += 1;
      if (outcome === "delivered") {
        sum.delivered += 1;
        lastSuccessAtMs = Math.max(lastSuccessAtMs ?? 0, atMs);
      }
      hours.set(hour, sum);
      if (outcome === "delivered") break;
      if (outcome === "permanent" || attempt >= history.maxAttempts) {
        const status = "status" in answer ? answer.status : null;
        const eventType = given.eventType?.(n) ?? "deposit";
        letters.push({
          endpointId: history.endpointId,
          reason,
          status,
          eventType,
          atMs,
          id: n + 1,
          attempts: attempt,
        });
        break;
      }
      atMs += backoffMs({
        failedAttempts: attempt,
        baseSeconds: history.baseSeconds,
        capSeconds: history.capSeconds,
        random: random(),
      });
    }
  }
  return { letters, history: { ...history, lastSuccessAtMs, hours: [...hours.values()] } };
}
