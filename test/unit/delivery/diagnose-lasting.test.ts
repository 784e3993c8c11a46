import { describe, expect, test } from "vitest";
import { diagnose } from "#lib/delivery/diagnose.ts";
import {
  type EndpointHistory,
  type FailingEvent,
  type Finding,
  findingKey,
} from "#lib/delivery/diagnosis/types.ts";
import type { FindingKind, Reason } from "#lib/vocabulary.ts";
import { groupsOf, historyOf, type Letter } from "#test/helpers/letters.ts";

const minuteMs = 60_000;
const hourMs = 3_600_000;
const dayMs = 86_400_000;
const startMs = Date.parse("2026-11-12T00:00:00Z");
const nowMs = startMs + 18 * dayMs;
const alive = {
  lastSuccessAtMs: nowMs,
  hours: Array.from({ length: 24 * 18 }, (_, n) => ({
    atMs: startMs + n * hourMs,
    attempts: 10,
    delivered: 10,
  })),
};

const row = (count: number, reason: Reason, everyMs: number, fromMs = startMs): Letter[] =>
  Array.from({ length: count }, (_, n) => ({ reason, atMs: fromMs + n * everyMs, id: n + 1 }));

function look(letters: readonly Letter[], open: Finding[], history: Partial<EndpointHistory> = {}) {
  return diagnose({
    groups: groupsOf(letters),
    histories: [historyOf(history)],
    failingEvents: [],
    open,
    nowMs,
  });
}

/** What is told while letters leave one by one, the oldest first, as a requeue takes them. */
function drain(letters: readonly Letter[], history: Partial<EndpointHistory>) {
  const told: string[] = [];
  let open: Finding[] = [];
  for (let gone = 0; gone <= letters.length; gone += 1) {
    const found = look(letters.slice(gone), open, history);
    for (const kind of ended(open, found)) told.push(`${kind} ended with ${letters.length - gone} left`);
    for (const kind of ended(found, open)) told.push(`${kind} opened with ${letters.length - gone}`);
    open = found;
  }
  return told;
}
const ended = (before: Finding[], now: Finding[]): FindingKind[] =>
  before.map(({ kind }) => kind).filter((kind) => !now.some((one) => one.kind === kind));

describe("while a requeue drains it, a finding lasts to a tenth of its letters, and is told of once", () => {
  test.each([
    ["outage", row(340, "server_error", 3_000), alive, 34],
    ["slow_accumulation", row(30, "timeout", 6 * hourMs), alive, 3],
    ["credentials", row(120, "unauthorized", 5 * minuteMs, nowMs - 11 * hourMs), alive, 12],
    ["credentials", row(5, "forbidden", minuteMs), {}, 0],
    ["rate_limit", row(90, "rate_limited", minuteMs), alive, 9],
    ["refused_payload", row(48, "payload_refused", minuteMs), alive, 4],
    ["moved", row(64, "not_found", minuteMs), {}, 6],
    ["configuration", row(22, "certificate_invalid", minuteMs), alive, 2],
  ] as [FindingKind, Letter[], Partial<EndpointHistory>, number][])("%s", (kind, letters, history, left) => {
    const told = drain(letters, history);
    expect(told).toEqual([
      `${kind} opened with ${letters.length}`,
      `${kind} ended with ${told.at(-1)?.match(/\d+/)?.[0]} left`,
    ]);
    // Where the pattern alone holds for longer, it is still a finding below a tenth.
    expect(Number(told.at(-1)?.match(/\d+/)?.[0])).toBeLessThanOrEqual(left);
  });
});

test("without having been found, so few are nothing", () => {
  expect(look(row(49, "server_error", 3_000), [], alive)).toEqual([]);
  expect(look(row(4, "unauthorized", minuteMs), [])).toEqual([]);
});

test("it keeps the most that it had, and its requeue takes what is left", () => {
  const letters = row(340, "server_error", 3_000);
  const [first] = look(letters, [], alive);
  const [second] = look(letters.slice(300), [first as Finding], alive);
  expect(second?.evidence).toMatchObject({ count: 40, most: 340 });
  expect(second?.actions.at(-1)).toMatchObject({
    kind: "requeue",
    filter: { from: "2026-11-12T00:15:00.000Z", to: "2026-11-12T00:20:00.000Z" },
  });
  // The next look goes on from there, and what lies outside of what is left is not taken in again.
  const [third] = look(letters.slice(295), [second as Finding], alive);
  expect(third?.evidence).toMatchObject({ count: 40, most: 340 });
});

describe("a URL that had moved is found no more", () => {
  const letters = row(64, "not_found", minuteMs);
  const since = (delivered: number) => ({
    hours: [{ atMs: startMs + hourMs, attempts: delivered, delivered }],
  });
  const open = look(letters, []);
  test("once as much got through as was refused at last, however many are left", () => {
    // Four lie in the second hour, and one more is needed for five.
    expect(look(letters, open, since(64))).toHaveLength(1);
    expect(look(letters, open, since(65))).toEqual([]);
    expect(look(letters.slice(10), open, since(54))).toHaveLength(1);
    expect(look(letters.slice(10), open, since(55))).toEqual([]);
  });
  test("when it is drained", () => {
    expect(look(letters.slice(57), open)).toHaveLength(1);
    expect(look(letters.slice(60), open)).toEqual([]);
  });
});

describe("an outage that was found keeps its key", () => {
  const first = row(100, "server_error", minuteMs / 2);
  const later = (count: number, atMs: number): Letter[] =>
    Array.from({ length: count }, (_, n) => ({ reason: "server_error", atMs: atMs + n * 1_000 }));
  const keys = (findings: Finding[]) => findings.map(findingKey).sort();
  const open = look(first, [], alive);
  test("while its first letters leave", () => {
    expect(keys(look(first.slice(60), open, alive))).toEqual(keys(open));
    expect(keys(look(first.slice(30), open, alive))).toEqual(keys(open));
  });
  test("when it goes on, and when an earlier one grows into it", () => {
    const grown = [...later(60, startMs - 30 * minuteMs), ...first, ...later(60, startMs + hourMs)];
    const found = look(grown, open, alive);
    expect(found.map(({ evidence }) => evidence.count)).toEqual([220]);
    expect(keys(found)).toEqual(keys(open));
  });
  test("and another one, days later, is told of beside it, with a most of its own", () => {
    const found = look([...first.slice(60), ...later(55, startMs + 10 * dayMs)], open, alive);
    expect(found.map(({ evidence: { count, most } }) => [count, most])).toEqual([
      [55, 55],
      [40, 100],
    ]);
    expect(keys(found)).toEqual([...keys(open), `outage|e1||||2026-11-22T00:00:00.000Z`]);
    // The first is over, the second lasts.
    const last = look(later(20, startMs + 10 * dayMs), found, alive);
    expect(keys(last)).toEqual(["outage|e1||||2026-11-22T00:00:00.000Z"]);
  });
  test("also one from before outages had a time in it", () => {
    const old = open.map((finding) => ({ ...finding, run: null }));
    expect(keys(look(first.slice(60), old, alive))).toEqual(["outage|e1|||"]);
  });
});

test("what an outage leaves is no slow accumulation while it lasts", () => {
  const outage = row(60, "timeout", minuteMs / 2);
  const [first] = look(outage, [], alive);
  const later: Letter[] = Array.from({ length: 8 }, (_, n) => ({
    reason: "timeout",
    atMs: startMs + (n + 1) * dayMs,
  }));
  const found = look([...outage.slice(30), ...later], [first as Finding], alive);
  expect(found.map(({ kind, evidence }) => [kind, evidence.count])).toEqual([
    ["outage", 30],
    ["slow_accumulation", 8],
  ]);
});

test("a slow accumulation does not last in what came after an outage", () => {
  const trickle = row(24, "timeout", 6 * hourMs);
  const outage = row(60, "timeout", 1_000, startMs + 10 * dayMs);
  const after = row(6, "timeout", hourMs, startMs + 12 * dayMs);
  const slow = (findings: Finding[]) => findings.find(({ kind }) => kind === "slow_accumulation");
  const open = look([...trickle, ...outage, ...after], [], alive);
  expect(slow(open)?.evidence.count).toBe(24);
  expect(slow(look([...trickle.slice(21), ...outage, ...after], open, alive))?.evidence.count).toBe(3);
  expect(slow(look([...trickle.slice(22), ...outage, ...after], open, alive))).toBeUndefined();
  expect(slow(look([...outage, ...after], open, alive))).toBeUndefined();
});

describe("a poison event that was found", () => {
  const names = Array.from({ length: 20 }, (_, n) => `e${n}`);
  const failing = (endpoints: readonly string[], given: Partial<FailingEvent> = {}): FailingEvent => ({
    eventId: "ev",
    eventType: "deposit",
    affiliateId: "a1",
    waiting: 0,
    letters: endpoints.map((endpointId, n) => ({
      deliveryId: n + 1,
      endpointId,
      reason: "payload_refused",
      status: 422,
      endedAtMs: startMs + hourMs,
    })),
    ...given,
  });
  const taking = (delivered: number) =>
    names.map((endpointId) =>
      historyOf({ endpointId, hours: [{ atMs: startMs + hourMs, attempts: 100, delivered }] }),
    );
  const lookAt = (failingEvents: FailingEvent[], open: Finding[], delivered = 50) =>
    diagnose({ groups: [], histories: taking(delivered), failingEvents, open, nowMs });
  const open = lookAt([failing(names)], []);

  test("lasts while its letters are put back, to a tenth of them", () => {
    const left = (count: number) => lookAt([failing(names.slice(-count), { waiting: 20 - count })], open);
    expect(left(3)).toMatchObject([{ kind: "poison", evidence: { count: 3, most: 20 } }]);
    expect(left(3)[0]?.sentence).toContain("at some it is to go once more");
    expect(left(2)).toEqual([]);
    expect(lookAt([failing(names.slice(-3), { waiting: 17 })], [])).toEqual([]);
  });
  test("does not come and go as its endpoints take somewhat more or less", () => {
    expect(lookAt([failing(names)], [], 49)).toEqual([]);
    expect(lookAt([failing(names)], open, 25)).toHaveLength(1);
    expect(lookAt([failing(names)], open, 24)).toEqual([]);
  });
  test("does not give way to earlier ones that are found later", () => {
    const numbered = (n: number) => ({
      ...failing(["e0", "e1"], { eventId: `ev${String(n).padStart(2, "0")}` }),
    });
    const later = Array.from({ length: 20 }, (_, n) => numbered(n + 20));
    const found = lookAt(later, []);
    const earlier = Array.from({ length: 20 }, (_, n) => numbered(n));
    const ids = (findings: Finding[]) => findings.map(({ eventId }) => eventId).sort();
    expect(ids(lookAt([...earlier, ...later], found))).toEqual(ids(found));
    expect(ids(lookAt([...earlier, ...later.slice(1)], found))).toEqual(["ev00", ...ids(found).slice(1)]);
  });
});

test("one of another event type or reason does not last in its stead", () => {
  const ftd = row(10, "payload_refused", minuteMs).map((letter) => ({ ...letter, eventType: "ftd" }));
  const deposit = row(4, "payload_refused", minuteMs).map((letter) => ({ ...letter, eventType: "deposit" }));
  const open = look(ftd, [], alive);
  expect(look(deposit, open, alive)).toEqual([]);
  const certificates = look(row(3, "certificate_invalid", minuteMs), [], alive);
  expect(look(row(2, "blocked_address", minuteMs), certificates, alive)).toEqual([]);
});

test("credentials that others get through with are said to have been refused", () => {
  const [before] = look(row(20, "forbidden", minuteMs, nowMs - hourMs), [], alive);
  const spread = row(20, "forbidden", 12 * hourMs);
  expect(look(spread, [], alive)).toEqual([]);
  expect(look(spread, [before as Finding], alive)[0]?.sentence).toBe(
    "Their server refused our credentials: 20 deliveries were given up, while others got through.",
  );
});

describe("retries that were set as suggested are not suggested longer: the letters had fewer", () => {
  const retryOf = ([finding]: Finding[]) => finding?.actions.find(({ kind }) => kind === "set_retry");
  test.each([
    ["outage", row(60, "timeout", 30_000), "for long already"],
    ["slow_accumulation", row(24, "timeout", 6 * hourMs), "attempts now: put these back"],
  ] as [FindingKind, Letter[], string][])("%s", (kind, letters, remedy) => {
    const first = look(letters, [], alive);
    const suggested = retryOf(first);
    if (suggested?.kind !== "set_retry") throw new Error("no retries were suggested");
    const { max_attempts: maxAttempts, cap_seconds: capSeconds } = suggested.retry;
    const [second] = look(letters, first, { ...alive, maxAttempts, capSeconds });
    expect(second?.kind).toBe(kind);
    expect(retryOf([second as Finding])).toBeUndefined();
    expect(second?.remedy).toContain(remedy);
    // Those that were given up all the same are another matter.
    const later = letters.map((letter) => ({ ...letter, attempts: maxAttempts }));
    expect(retryOf(look(later, first, { ...alive, maxAttempts, capSeconds }))).toMatchObject({
      retry: { max_attempts: expect.toSatisfy((n: number) => n > maxAttempts) },
    });
  });
  test("what is said of a slow accumulation is what its letters had", () => {
    const [finding] = look(row(24, "timeout", 6 * hourMs), [], { ...alive, maxAttempts: 9 });
    expect(finding?.sentence).toContain("are given up after 5 attempts");
  });
});

describe("a rate limit that was set as suggested", () => {
  const hours = [{ atMs: startMs, attempts: 1_800, delivered: 900 }];
  const letters = row(40, "rate_limited", minuteMs);
  test("is not suggested lower: the letters are older than it", () => {
    const [finding] = look(letters, [], { hours, rateLimit: { amount: 12, per: "minute" } });
    expect(finding?.actions.map(({ kind }) => kind)).toEqual(["open_setting", "requeue"]);
    expect(finding?.sentence).toContain("is below what they took");
    expect(finding?.remedy).toContain("Put these back");
  });
  test("one above it is", () => {
    const [finding] = look(letters, [], { hours, rateLimit: { amount: 13, per: "minute" } });
    expect(finding?.actions[0]).toEqual({
      kind: "set_rate_limit",
      rate_limit: { amount: 12, per: "minute" },
    });
  });
});
