import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { diagnose, endpointsInQuestion } from "#lib/delivery/diagnose.ts";
import { bucketMs, type FailingEvent, type Finding, findingKey } from "#lib/delivery/diagnosis/types.ts";
import { reasons } from "#lib/vocabulary.ts";
import { groupsOf, historyOf, type Letter, replay } from "#test/helpers/letters.ts";

const dayMs = 86_400_000;
const hourMs = 3_600_000;
const startMs = Date.parse("2026-11-02T00:00:00Z");
const nowMs = startMs + 28 * dayMs;
const endpointIds = ["e1", "e2", "e3"];

const reason = fc.oneof(
  fc.constantFrom(...reasons),
  fc.constantFrom("timeout" as const, "unauthorized" as const, "payload_refused" as const),
);
/** Bursts and trickles, since single letters at random are hardly ever a pattern. */
const burst = fc
  .record({
    endpointId: fc.constantFrom(...endpointIds),
    reason,
    eventType: fc.constantFrom("ftd", "deposit"),
    fromMs: fc.integer({ min: startMs, max: nowMs - 8 * dayMs }),
    everyMs: fc.constantFrom(0, 1_000, 60_000, hourMs, dayMs / 2),
    count: fc.integer({ min: 1, max: 15 }).map((n) => (n > 12 ? n * 6 : n)),
  })
  .map(({ fromMs, everyMs, count, ...rest }): Letter[] =>
    Array.from({ length: count }, (_, n) => ({
      ...rest,
      atMs: Math.min(nowMs - 1, fromMs + n * everyMs),
      id: (fromMs % 1_000_000) + n,
    })),
  );
const lettersOfAll = fc.array(burst, { maxLength: 12 }).map((bursts) => bursts.flat());
const history = fc.record({
  lastSuccessAtMs: fc.option(fc.integer({ min: startMs, max: nowMs })),
  p95Ms: fc.option(fc.integer({ min: 1, max: 30_000 })),
  maxAttempts: fc.integer({ min: 1, max: 30 }),
  rateLimit: fc.option(
    fc.record({
      amount: fc.integer({ min: 1, max: 1_000 }),
      per: fc.constantFrom("second" as const, "minute" as const, "hour" as const),
    }),
  ),
  hours: fc.array(
    fc
      .record({
        atMs: fc.integer({ min: 0, max: 167 }),
        attempts: fc.integer({ min: 1, max: 5_000 }),
        share: fc.double({ min: 0, max: 1, noNaN: true }),
      })
      .map(({ atMs, attempts, share }) => ({
        atMs: nowMs - 7 * dayMs + atMs * hourMs,
        attempts,
        delivered: Math.floor(attempts * share),
      })),
    { maxLength: 20 },
  ),
});
const histories = fc
  .tuple(history, history, history)
  .map((given) => given.map((one, n) => historyOf({ ...one, endpointId: endpointIds[n] as string })));
const failingEvents = fc.array(
  fc
    .record({
      eventId: fc.uuid(),
      reason,
      endpoints: fc.subarray(endpointIds),
      endedAtMs: fc.integer({ min: startMs, max: nowMs }),
    })
    .map(
      ({ eventId, reason, endpoints, endedAtMs }): FailingEvent => ({
        eventId,
        eventType: "deposit",
        affiliateId: "a1",
        waiting: 0,
        letters: endpoints.map((endpointId, n) => ({
          deliveryId: n + 1,
          endpointId,
          reason,
          status: null,
          endedAtMs,
        })),
      }),
    ),
  { maxLength: 5 },
);
const input = fc.record({ letters: lettersOfAll, histories, failingEvents });

describe("whatever the dead letters are", () => {
  test("the order that they come in does not matter", () => {
    fc.assert(
      fc.property(input, fc.infiniteStream(fc.nat()), ({ letters, histories, failingEvents }, numbers) => {
        const shuffled = <T>(list: readonly T[]): T[] =>
          list
            .map((item) => ({ item, at: numbers.next().value ?? 0 }))
            .sort((a, b) => a.at - b.at)
            .map(({ item }) => item);
        const groups = groupsOf(letters);
        expect(
          diagnose({
            groups: shuffled(groups.map((group) => ({ ...group, buckets: shuffled(group.buckets) }))),
            histories: shuffled(histories.map((one) => ({ ...one, hours: shuffled(one.hours) }))),
            failingEvents: shuffled(failingEvents.map((one) => ({ ...one, letters: shuffled(one.letters) }))),
            open: [],
            nowMs,
          }),
        ).toEqual(diagnose({ groups, histories, failingEvents, open: [], nowMs }));
      }),
    );
  });

  test("no letter is counted twice, but for those of one event", () => {
    fc.assert(
      fc.property(input, ({ letters, histories, failingEvents }) => {
        const findings = diagnose({ groups: groupsOf(letters), histories, failingEvents, open: [], nowMs });
        const ofEndpoints = findings.filter(({ kind }) => kind !== "poison");
        expect(ofEndpoints.reduce((sum, { evidence }) => sum + evidence.count, 0)).toBeLessThanOrEqual(
          letters.length,
        );
        for (const { evidence, endpointId } of ofEndpoints) {
          expect(evidence.count).toBeLessThanOrEqual(
            letters.filter((letter) => letter.endpointId === endpointId).length,
          );
          expect(evidence.answers.reduce((sum, { count }) => sum + count, 0)).toBe(evidence.count);
        }
      }),
    );
  });

  test("nothing would be said of an endpoint that is not in question", () => {
    const few = fc.tuple(fc.array(burst, { maxLength: 4 }), histories, failingEvents, fc.nat({ max: 9 }));
    fc.assert(
      fc.property(few, ([bursts, histories, failingEvents, gone]) => {
        const letters = bursts.flat();
        const look = (of: readonly Letter[], open: readonly Finding[]) => {
          const given = { groups: groupsOf(of), failingEvents, open, nowMs };
          const ids = endpointsInQuestion(given);
          const known = histories.filter(({ endpointId }) => ids.includes(endpointId));
          const found = diagnose({ ...given, histories });
          expect(diagnose({ ...given, histories: known })).toEqual(found);
          return found;
        };
        const found = look(letters, []);
        look(
          letters.filter((_, n) => n % 10 >= gone),
          found,
        );
      }),
      { numRuns: 500 },
    );
  });

  test("each finding is told apart, begins before it ends, and its requeue takes what it counts", () => {
    const check = (letters: readonly Letter[], findings: readonly Finding[]) => {
      expect(new Set(findings.map(findingKey)).size).toBe(findings.length);
      for (const { evidence, actions } of findings) {
        expect(evidence.first_at <= evidence.last_at && Date.parse(evidence.last_at) <= nowMs).toBe(true);
        for (const action of actions) {
          if (action.kind !== "requeue") continue;
          const { endpoint, reasons, event_type, from, to } = action.filter;
          const matching = letters.filter(
            (letter) =>
              letter.endpointId === endpoint &&
              reasons.includes(letter.reason) &&
              (event_type === null || letter.eventType === event_type) &&
              letter.atMs >= Date.parse(from ?? "") &&
              letter.atMs < Date.parse(to ?? ""),
          );
          expect(matching.length).toBe(evidence.count);
        }
      }
    };
    fc.assert(
      fc.property(input, fc.nat({ max: 9 }), ({ letters, histories, failingEvents }, gone) => {
        const look = (of: readonly Letter[], open: readonly Finding[]) =>
          diagnose({ groups: groupsOf(of), histories, failingEvents, open, nowMs });
        const found = look(letters, []);
        check(letters, found);
        // Also while it drains.
        const left = letters.filter((_, n) => n % 10 >= gone);
        check(left, look(left, found));
      }),
    );
  });

  test("50 of an outage within an hour are found wherever they begin, and never 50 over 65 minutes", () => {
    const found = (fromMs: number, spanMs: number, between: number[]) =>
      diagnose({
        groups: groupsOf(
          [0, 1, ...between].map((at) => ({ reason: "timeout", atMs: fromMs + Math.floor(at * spanMs) })),
        ),
        histories: [historyOf()],
        failingEvents: [],
        open: [],
        nowMs,
      }).length;
    const from = fc.integer({ min: startMs, max: nowMs - dayMs });
    const between = fc.array(fc.double({ min: 0, max: 1, noNaN: true }), { minLength: 48, maxLength: 48 });
    fc.assert(
      fc.property(from, between, (fromMs, at) => {
        expect(found(fromMs, hourMs, at)).toBe(1);
        expect(found(fromMs, 65 * 60_000, at)).toBe(0);
      }),
    );
  });

  test("what is suggested may be set, and is a change", () => {
    fc.assert(
      fc.property(input, ({ letters, histories, failingEvents }) => {
        for (const { actions, endpointId } of diagnose({
          groups: groupsOf(letters),
          histories,
          failingEvents,
          open: [],
          nowMs,
        })) {
          const present = histories.find((one) => one.endpointId === endpointId);
          for (const action of actions) {
            if (action.kind === "set_retry") {
              expect(action.retry.max_attempts).toBeLessThanOrEqual(30);
              expect(action.retry).not.toEqual({
                max_attempts: present?.maxAttempts,
                base_seconds: present?.baseSeconds,
                cap_seconds: present?.capSeconds,
              });
              expect(action.retry.max_attempts).toBeGreaterThanOrEqual(present?.maxAttempts ?? 0);
            }
            if (action.kind === "set_rate_limit") {
              expect(action.rate_limit.amount).toBeGreaterThanOrEqual(1);
              expect(action.rate_limit).not.toEqual(present?.rateLimit);
            }
            if (action.kind === "set_timeout") {
              expect(action.timeout_ms).toBeGreaterThanOrEqual(1_000);
              expect(action.timeout_ms).toBeLessThan(present?.timeoutMs ?? 0);
            }
          }
        }
      }),
    );
  });

  test("what does not concern it changes nothing: another endpoint, and healthy hours of others", () => {
    fc.assert(
      fc.property(input, lettersOfAll, history, ({ letters, histories, failingEvents }, more, other) => {
        const before = diagnose({ groups: groupsOf(letters), histories, failingEvents, open: [], nowMs });
        const elsewhere = more.map((letter) => ({ ...letter, endpointId: "other" }));
        const after = diagnose({
          groups: groupsOf([...letters, ...elsewhere]),
          histories: [
            ...histories,
            historyOf({ ...other, endpointId: "other" }),
            historyOf({ endpointId: "healthy" }),
          ],
          failingEvents,
          open: [],
          nowMs,
        });
        expect(after.filter(({ endpointId }) => endpointId !== "other")).toEqual(before);
      }),
    );
  });
});

describe("replayed: what the real rules make of a server's behaviour", () => {
  const find = (...replayed: ReturnType<typeof replay>[]) =>
    diagnose({
      groups: groupsOf(replayed.flatMap(({ letters }) => letters)),
      histories: replayed.map(({ history }) => history),
      failingEvents: [],
      open: [],
      nowMs,
    }).map(({ kind }) => kind);
  const week = { fromMs: nowMs - 7 * dayMs, toMs: nowMs, everyMs: 10 * 60_000 };

  test("a server that answers one in ten with 500 makes no dead letters to speak of", () => {
    expect(find(replay({ ...week, answer: (_, chance) => ({ status: chance < 0.1 ? 500 : 200 }) }))).toEqual(
      [],
    );
  });
  test("one that is down for an hour is an outage, for one that gets much", () => {
    const away = (atMs: number) => Math.abs(atMs - (nowMs - 3 * dayMs)) < hourMs;
    const answer = (atMs: number) => (away(atMs) ? { errorCode: "ECONNREFUSED" } : { status: 200 });
    expect(find(replay({ ...week, everyMs: 20_000, answer }))).toEqual(["outage"]);
    expect(find(replay({ ...week, answer }))).toEqual([]);
  });
  test("one that fails half of the time is a slow accumulation", () => {
    const answer = (_: number, chance: number) => ({ status: chance < 0.45 ? 503 : 200 });
    expect(find(replay({ ...week, answer }))).toEqual(["slow_accumulation"]);
    expect(find(replay({ ...week, answer, policy: { maxAttempts: 12 } }))).toEqual([]);
  });
  test("one whose credentials end is that, from the first hour on and still a week later", () => {
    for (const sinceMs of [nowMs - hourMs, nowMs - dayMs, nowMs - 6 * dayMs]) {
      expect(find(replay({ ...week, answer: (atMs) => ({ status: atMs < sinceMs ? 200 : 401 }) }))).toEqual([
        "credentials",
      ]);
    }
  });
  test("one that takes one in three and answers 429 to the rest is a rate limit", () => {
    expect(
      find(
        replay({ ...week, everyMs: 120_000, answer: (_, chance) => ({ status: chance < 0.33 ? 200 : 429 }) }),
      ),
    ).toEqual(["rate_limit"]);
  });
  test("one that has a 404 for a few, which it does not know, is nothing", () => {
    expect(find(replay({ ...week, answer: (_, chance) => ({ status: chance < 0.05 ? 404 : 200 }) }))).toEqual(
      [],
    );
  });
  test("the letters lie where the database would count them", () => {
    const { letters } = replay({ ...week, answer: () => ({ status: 401 }) });
    const counted = groupsOf(letters).flatMap(({ buckets }) => buckets);
    expect(counted.reduce((sum, { count }) => sum + count, 0)).toBe(letters.length);
    expect(counted.every(({ number }) => number * bucketMs >= week.fromMs - bucketMs)).toBe(true);
  });
});
