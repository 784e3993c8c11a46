import { describe, expect, test } from "vitest";
import {
  type DiagnosisInput,
  defaultThresholds,
  diagnose,
  endpointsInQuestion,
} from "#lib/delivery/diagnose.ts";
import {
  type EndpointHistory,
  type FailingEvent,
  type Finding,
  findingKey,
} from "#lib/delivery/diagnosis/types.ts";
import type { FindingKind, Reason } from "#lib/vocabulary.ts";
import { groupsOf, historyOf, type Letter } from "#test/helpers/letters.ts";

/** A whole day, hour and stretch. */
const day0 = Date.parse("2026-11-02T00:00:00Z");
const minuteMs = 60_000;
const hourMs = 3_600_000;
const dayMs = 86_400_000;
const nowMs = day0 + 28 * dayMs;

function found(
  letters: readonly Letter[],
  given: {
    history?: Partial<EndpointHistory>;
    events?: FailingEvent[];
    histories?: EndpointHistory[];
    open?: Finding[];
  } = {},
): Finding[] {
  const input: DiagnosisInput = {
    groups: groupsOf(letters),
    histories: given.histories ?? [historyOf(given.history)],
    failingEvents: given.events ?? [],
    open: given.open ?? [],
    nowMs,
  };
  return diagnose(input);
}
const kinds = (findings: Finding[]): FindingKind[] => findings.map(({ kind }) => kind);
const many = (count: number, of: (n: number) => Letter): Letter[] =>
  Array.from({ length: count }, (_, n) => of(n));
/** `count` of one reason, `everyMs` apart. */
const row = (count: number, reason: Reason, everyMs: number, fromMs = day0 + 10 * dayMs): Letter[] =>
  many(count, (n) => ({ reason, atMs: fromMs + n * everyMs, id: n + 1 }));
/** Hours in which everything was delivered. */
const healthy = (fromMs: number, hours: number, delivered = 100) =>
  Array.from({ length: hours }, (_, n) => ({ atMs: fromMs + n * hourMs, attempts: delivered, delivered }));
const alive = { lastSuccessAtMs: nowMs, hours: healthy(nowMs - 7 * dayMs, 168) };

describe("outage cluster", () => {
  const burst = (...minutes: number[]): Letter[] =>
    minutes.flatMap((minute) => row(25, "timeout", 0, day0 + 10 * dayMs + minute * minuteMs));
  const table: [name: string, letters: Letter[], kinds: FindingKind[]][] = [
    ["50 within an hour", row(50, "timeout", minuteMs), ["outage"]],
    ["49 within an hour", row(49, "timeout", minuteMs), []],
    ["50 over two hours", row(50, "timeout", 2.4 * minuteMs), []],
    [
      "50 in the stretches of one hour, its last minute included",
      row(50, "timeout", 1.2 * minuteMs),
      ["outage"],
    ],
    ["an hour to the minute", burst(0, 60), ["outage"]],
    ["an hour from the last minute of a stretch", burst(4, 64), ["outage"]],
    ["just below 65 minutes, in as many stretches", burst(0, 64), ["outage"]],
    ["65 minutes", burst(0, 65), []],
    ["65 minutes from the last minute of a stretch", burst(4, 69), []],
    [
      "refusals and failures of many kinds",
      many(60, (n) => ({
        reason: (["dns_error", "connection_refused", "server_error"] as const)[n % 3] as Reason,
        atMs: day0 + n * 1_000,
      })),
      ["outage"],
    ],
    [
      "40 of 50 are of an outage",
      [...row(40, "server_error", minuteMs), ...row(10, "client_error", minuteMs)],
      ["outage"],
    ],
    [
      "39 of 50 are of an outage",
      [...row(39, "server_error", minuteMs), ...row(11, "client_error", minuteMs)],
      [],
    ],
    ["refusals alone", row(80, "client_error", minuteMs / 4), []],
    [
      "two endpoints with 30 each",
      many(60, (n) => ({ endpointId: `e${n % 2}`, reason: "timeout", atMs: day0 + n * 1_000 })),
      [],
    ],
  ];
  test.each(table)("%s", (_, letters, expected) => {
    const histories = ["e0", "e1"].map((endpointId) => historyOf({ endpointId }));
    expect(kinds(found(letters, { histories }))).toEqual(expected);
  });

  test("only its own letters are its evidence, and the requeue finds them", () => {
    const start = day0 + 10 * dayMs;
    const [finding] = found([
      ...row(60, "connection_refused", 10_000, start),
      ...row(3, "client_error", 10_000, start),
      { reason: "timeout", atMs: start - 5 * dayMs },
    ]);
    expect(finding?.evidence).toEqual({
      count: 60,
      most: 60,
      first_at: "2026-11-12T00:00:00.000Z",
      last_at: "2026-11-12T00:10:00.000Z",
      samples: ["60", "30"],
      answers: [{ reason: "connection_refused", status: null, count: 60 }],
      endpoints: 1,
    });
    expect(finding?.actions).toEqual([
      { kind: "set_retry", retry: { max_attempts: 8, base_seconds: 30, cap_seconds: 43_200 } },
      { kind: "open_setting", setting: "retry" },
      {
        kind: "requeue",
        mode: "same_url",
        filter: {
          endpoint: "e1",
          reasons: ["connection_refused"],
          status: null,
          event_type: null,
          from: "2026-11-12T00:00:00.000Z",
          to: "2026-11-12T00:10:00.000Z",
        },
      },
    ]);
  });

  describe("outages at different times", () => {
    const start = day0 + 10 * dayMs;
    const spans = (findings: Finding[]) =>
      findings
        .filter(({ kind }) => kind === "outage")
        .map(({ evidence: { count, first_at, last_at } }) => [
          count,
          (Date.parse(first_at) - start) / minuteMs,
          (Date.parse(last_at) - start) / minuteMs,
        ]);
    const two = (gapMs: number) => [
      ...row(60, "timeout", minuteMs, start),
      ...row(61, "timeout", minuteMs, start + hourMs + gapMs),
    ];
    test.each([
      ["half an hour between them", two(30 * minuteMs), [[121, 0, 155]]],
      ["55 minutes between them", two(55 * minuteMs), [[121, 0, 180]]],
      [
        "90 minutes between them",
        two(90 * minuteMs),
        [
          [61, 150, 215],
          [60, 0, 60],
        ],
      ],
      [
        "ten days between them",
        two(10 * dayMs),
        [
          [61, 60 + 14_400, 125 + 14_400],
          [60, 0, 60],
        ],
      ],
    ] as [string, Letter[], number[][]][])("%s", (_, letters, expected) => {
      expect(spans(found(letters))).toEqual(expected);
    });

    test("each says how long it was, and its advice and requeue are of that alone", () => {
      const stray: Letter = { reason: "timeout", atMs: start + 5 * dayMs };
      const findings = found([...two(10 * dayMs), stray]);
      expect(findings).toHaveLength(2);
      for (const { sentence, remedy, evidence, actions } of findings) {
        expect(sentence).toContain("within 1 h");
        expect(remedy).toContain("Keep trying for longer");
        expect(actions[0]).toMatchObject({
          kind: "set_retry",
          retry: { max_attempts: evidence.count === 60 ? 10 : 11 },
        });
        expect(actions.at(-1)).toMatchObject({ filter: { from: evidence.first_at, to: evidence.last_at } });
      }
      expect(new Set(findings.map(findingKey)).size).toBe(2);
    });

    test("one of which no retries would have outlasted says so", () => {
      const [finding] = found(row(20 * 24 * 60, "timeout", minuteMs, day0));
      expect(finding?.actions.map(({ kind }) => kind)).toEqual(["open_setting", "requeue"]);
      expect(finding?.remedy).toContain("longer than any retries");
    });
  });

  test.each([
    { name: "ten minutes", count: 60, everyMs: 10_000 },
    { name: "ten hours", count: 700, everyMs: 51_400 },
  ])("the retry window outlasts $name twice over", ({ count, everyMs }) => {
    const [finding] = found(row(count, "connection_refused", everyMs));
    const longest = (n: number) =>
      Array.from({ length: n - 1 }, (_, i) => Math.min(43_200, 30 * 2 ** i)).reduce((a, b) => a + b);
    const wanted =
      2 *
      ((Date.parse(finding?.evidence.last_at ?? "") - Date.parse(finding?.evidence.first_at ?? "")) / 1_000 +
        225);
    const set = finding?.actions.find((action) => action.kind === "set_retry");
    const n = set?.kind === "set_retry" ? set.retry.max_attempts : 0;
    expect(longest(n) / 2).toBeGreaterThanOrEqual(wanted);
    expect(longest(n - 1) / 2).toBeLessThan(wanted);
  });

  test("no longer window is offered to one that tries for days already", () => {
    const patient = { maxAttempts: 30, baseSeconds: 3_600, capSeconds: 86_400 };
    const [finding] = found(row(60, "timeout", minuteMs), { history: patient });
    expect(finding?.actions.map(({ kind }) => kind)).toEqual(["open_setting", "requeue"]);
    expect(finding?.remedy).toContain("long already");
  });
});

describe("slow accumulation", () => {
  const daily = (days: number, perDay: number, reason: Reason = "timeout") =>
    many(days * perDay, (n) => ({
      reason,
      atMs: day0 + 10 * dayMs + Math.floor(n / perDay) * dayMs + (n % perDay) * 2 * hourMs,
    }));
  test.each([
    ["three a day for six days", daily(6, 3), ["slow_accumulation"]],
    ["three a day for four days", daily(4, 3), ["slow_accumulation"]],
    ["three a day for three days", daily(3, 3), []],
    [
      "all on the first and the last of six days",
      [...daily(1, 9), ...row(9, "timeout", hourMs, day0 + 15 * dayMs)],
      [],
    ],
    ["nine in ten on one day", [...daily(6, 1), ...row(45, "timeout", 20 * minuteMs, day0 + 12 * dayMs)], []],
    ["30 a day are no few", many(180, (n) => ({ reason: "timeout", atMs: day0 + n * 48 * minuteMs })), []],
    ["what is not transient", daily(6, 3, "client_error"), []],
  ] as [string, Letter[], FindingKind[]][])("%s", (_, letters, expected) => {
    expect(kinds(found(letters, { history: alive }))).toEqual(expected);
  });

  test("an outage among them is a finding of its own, and counted once", () => {
    const findings = found(
      [...daily(6, 3), ...row(200, "timeout", 10_000, day0 + 13 * dayMs + 20 * hourMs)],
      { history: alive },
    );
    expect(findings.map(({ kind, evidence }) => [kind, evidence.count])).toEqual([
      ["outage", 200],
      ["slow_accumulation", 12],
    ]);
    // Up to the outage: a requeue of those after it, too, would take the outage's.
    expect(findings[1]?.actions.at(-1)).toMatchObject({
      filter: { from: "2026-11-12T00:00:00.000Z", to: "2026-11-15T04:05:00.000Z" },
    });
  });

  test.each([
    ["the more of both sides", daily(4, 3), daily(5, 3), 15],
    ["the even side, though it is the lesser", daily(2, 12), daily(4, 3), 12],
    ["neither", daily(2, 12), daily(3, 3), null],
  ])("of what lies around an outage: %s", (_, before, after, count) => {
    const outage = row(200, "timeout", 10_000, day0 + 16 * dayMs);
    const later = after.map((letter) => ({ ...letter, atMs: letter.atMs + 8 * dayMs }));
    const findings = found([...before, ...outage, ...later], { history: alive });
    expect(findings.find(({ kind }) => kind === "slow_accumulation")?.evidence.count ?? null).toBe(count);
  });

  test.each([
    // A hundredth of the share that 5 attempts leave: 5 x ln(share / 100) / ln(share).
    { name: "one in 100", delivered: 1_782, attempts: 10 },
    { name: "one in a million", delivered: 18_000_000, attempts: 7 },
    { name: "half and more", delivered: 0, attempts: 30 },
  ])("attempts that leave a hundredth, where $name is given up", ({ delivered, attempts }) => {
    const hours = [{ atMs: day0 + 11 * dayMs, attempts: delivered, delivered }];
    const [finding] = found(daily(6, 3, "server_error"), { history: { hours } });
    expect(finding?.actions[0]).toEqual({
      kind: "set_retry",
      retry: { max_attempts: attempts, base_seconds: 30, cap_seconds: 3_600 },
    });
  });

  test.each([
    { p95Ms: 400, reason: "timeout", timeout: 2_000 },
    { p95Ms: 100, reason: "timeout", timeout: 1_000 },
    { p95Ms: 6_000, reason: "timeout", timeout: null },
    { p95Ms: null, reason: "timeout", timeout: null },
    { p95Ms: 400, reason: "server_error", timeout: null },
  ] as const)("a timeout of three P95, for P95 $p95Ms and $reason", ({ p95Ms, reason, timeout }) => {
    const [finding] = found(daily(6, 3, reason), { history: { ...alive, p95Ms } });
    const offered = finding?.actions.find((action) => action.kind === "set_timeout");
    expect(offered ?? null).toEqual(timeout && { kind: "set_timeout", timeout_ms: timeout });
  });
});

describe("credentials", () => {
  const got = (lastSuccessAtMs: number) => ({ lastSuccessAtMs });
  const flat = (days: number) => row(20 * days, "forbidden", 1.2 * hourMs, nowMs - days * dayMs);
  test.each([
    ["five, and nothing since", row(5, "unauthorized", hourMs), { lastSuccessAtMs: day0 }, ["credentials"]],
    ["four, and nothing since", row(4, "unauthorized", hourMs), { lastSuccessAtMs: day0 }, []],
    [
      "for two weeks, and nothing since",
      row(400, "forbidden", hourMs),
      { lastSuccessAtMs: day0 },
      ["credentials"],
    ],
    ["never anything else", row(5, "forbidden", dayMs), {}, ["credentials"]],
    [
      "five within the last day, others get through",
      row(5, "forbidden", hourMs, nowMs - 5 * hourMs),
      alive,
      ["credentials"],
    ],
    [
      "four within the last day, others get through",
      row(4, "forbidden", hourMs, nowMs - 5 * hourMs),
      alive,
      [],
    ],
    ["five within a day 18 days ago, others get through", row(5, "forbidden", hourMs), alive, []],
    [
      "five of the day before the last, others get through",
      row(5, "forbidden", hourMs, nowMs - 30 * hourMs),
      alive,
      [],
    ],
    ["20 a day for five days, others get through", flat(5), alive, []],
    ["20 a day for two days, others get through", flat(2), alive, []],
    [
      "20 a day, but 39 on the last of five, others get through",
      [...flat(5), ...row(19, "forbidden", hourMs, nowMs - 20 * hourMs)],
      alive,
      [],
    ],
    [
      "20 a day, but 40 on the last of five, others get through",
      [...flat(5), ...row(20, "forbidden", hourMs, nowMs - 20 * hourMs)],
      alive,
      ["credentials"],
    ],
    [
      "a stray one long ago, and five since anything got through",
      [...row(1, "forbidden", 0, day0), ...row(5, "forbidden", hourMs)],
      got(day0 + 10 * dayMs - 1),
      ["credentials"],
    ],
    [
      "a stray one long ago, and four since anything got through",
      [...row(1, "forbidden", 0, day0), ...row(4, "forbidden", hourMs)],
      got(day0 + 10 * dayMs - 1),
      [],
    ],
    [
      "six, of which one got through in between",
      row(6, "forbidden", hourMs),
      got(day0 + 10 * dayMs + minuteMs),
      ["credentials"],
    ],
    [
      "five, of which one got through in between",
      row(5, "forbidden", hourMs),
      got(day0 + 10 * dayMs + minuteMs),
      [],
    ],
    [
      "more every day",
      many(4 ** 4, (n) => ({
        reason: "unauthorized",
        atMs: nowMs - (4 - Math.log(n + 1) / Math.log(4)) * dayMs - 1,
      })),
      alive,
      ["credentials"],
    ],
    ["one a day all the time, others get through", row(20, "forbidden", dayMs, day0 + dayMs), alive, []],
    [
      "20 a day all the time, others get through",
      many(560, (n) => ({ reason: "forbidden", atMs: day0 + n * 1.2 * hourMs })),
      alive,
      [],
    ],
    ["a proxy's credentials", row(9, "proxy_refused", hourMs), {}, []],
  ] as [string, Letter[], Partial<EndpointHistory>, FindingKind[]][])(
    "%s",
    (_, letters, history, expected) => {
      expect(kinds(found(letters, { history }))).toEqual(expected);
    },
  );

  describe("of one that takes much", () => {
    const atOnceAndProbe = (agoMs: number) => [
      ...row(10, "unauthorized", 10, nowMs - agoMs),
      ...row(1, "unauthorized", 0, nowMs - agoMs + 5 * minuteMs),
    ];
    test.each([
      ["five in a day are nothing", row(5, "forbidden", 4 * hourMs, nowMs - 20 * hourMs), 4_000, 0, []],
      ["nor is the fifth, just now", row(5, "forbidden", 4 * hourMs, nowMs - 16 * hourMs - 1), 4_000, 0, []],
      ["five within the hour are", row(5, "forbidden", minuteMs, nowMs - hourMs), 4_000, 0, ["credentials"]],
      [
        "ten at once, however much it took before, once the probe after them is refused",
        atOnceAndProbe(10 * minuteMs),
        40_000,
        10 * minuteMs,
        ["credentials"],
      ],
      ["not where that got through", atOnceAndProbe(10 * minuteMs).slice(0, 10), 40_000, 5 * minuteMs, []],
    ] as [string, Letter[], number, number, FindingKind[]][])(
      "%s",
      (_, letters, perHour, successAgoMs, expected) => {
        const hours = healthy(nowMs - 7 * dayMs, 168, perHour);
        const history = { lastSuccessAtMs: nowMs - successAgoMs, hours };
        expect(kinds(found(letters, { history }))).toEqual(expected);
      },
    );
  });

  test("both statuses are one finding, which says where to change them", () => {
    const [finding, more] = found([
      ...many(6, (n): Letter => ({ reason: "unauthorized", status: 401, atMs: day0 + n })),
      ...many(2, (n): Letter => ({ reason: "forbidden", status: 403, atMs: day0 + n })),
    ]);
    expect(more).toBeUndefined();
    expect(finding?.evidence.answers).toEqual([
      { reason: "unauthorized", status: 401, count: 6 },
      { reason: "forbidden", status: 403, count: 2 },
    ]);
    expect(finding?.actions[0]).toEqual({ kind: "open_setting", setting: "credentials" });
    expect(finding?.sentence).toContain("nothing has got through");
  });
});

describe("rate limit", () => {
  const letters = row(40, "rate_limited", 6 * minuteMs);
  const at = day0 + 10 * dayMs;
  const hoursOf = (...delivered: number[]) =>
    delivered.map((count, n) => ({ atMs: at + n * hourMs, attempts: count * 2, delivered: count }));
  test("five and four", () => {
    expect(kinds(found(row(5, "rate_limited", hourMs)))).toEqual(["rate_limit"]);
    expect(kinds(found(row(4, "rate_limited", hourMs)))).toEqual([]);
    expect(kinds(found(row(40, "too_early", hourMs)))).toEqual([]);
  });
  test.each([
    {
      name: "four fifths of the median hour",
      hours: hoursOf(3_000, 3_600, 90_000, 10),
      rate: { amount: 48, per: "minute" },
    },
    {
      name: "per second where there is enough",
      hours: hoursOf(90_000, 90_000),
      rate: { amount: 20, per: "second" },
    },
    { name: "per hour where there is little", hours: hoursOf(100, 100), rate: { amount: 80, per: "hour" } },
    { name: "at least one", hours: hoursOf(1), rate: { amount: 1, per: "hour" } },
    {
      name: "other hours do not count",
      hours: [...hoursOf(100), ...healthy(day0, 100, 9_000)],
      rate: { amount: 80, per: "hour" },
    },
    { name: "nothing got through", hours: hoursOf(0, 0), rate: null },
  ] as const)("suggests $name", ({ hours, rate }) => {
    const [finding] = found(letters, { history: { hours } });
    const offered = finding?.actions.find((action) => action.kind === "set_rate_limit");
    expect(offered?.kind === "set_rate_limit" ? offered.rate_limit : null).toEqual(rate);
  });
  test("a limit that is set is lowered", () => {
    const set = (rateLimit: EndpointHistory["rateLimit"]) =>
      found(letters, { history: { hours: hoursOf(3_600, 3_600), rateLimit } })[0];
    expect(set({ amount: 1, per: "second" })?.actions[0]).toEqual({
      kind: "set_rate_limit",
      rate_limit: { amount: 48, per: "minute" },
    });
    expect(set({ amount: 49, per: "minute" })?.sentence).toContain("is too high");
    expect(set({ amount: 100, per: "second" })?.actions[0]).toEqual({
      kind: "set_rate_limit",
      rate_limit: { amount: 48, per: "minute" },
    });
    expect(set({ amount: 1, per: "hour" })?.actions[0]?.kind).toBe("open_setting");
    expect(set({ amount: 48, per: "minute" })?.actions[0]?.kind).toBe("open_setting");
  });
});

describe("refused payload", () => {
  const refused = (count: number, eventType: string, reason: Reason = "payload_refused"): Letter[] =>
    many(count, (n) => ({ reason, eventType, atMs: day0 + 20 * dayMs + n * minuteMs }));
  test.each([
    ["five of one type", refused(5, "ftd"), ["ftd"]],
    ["four of one type", refused(4, "ftd"), []],
    ["400 and 422 together", [...refused(3, "ftd"), ...refused(2, "ftd", "bad_request")], ["ftd"]],
    ["a few of others beside", [...refused(9, "ftd"), ...refused(5, "deposit")], ["ftd"]],
    ["every type alike", ["a", "b", "c"].flatMap((type) => refused(9, type)), []],
    ["half and half", [...refused(9, "a"), ...refused(9, "b")], ["a", "b"]],
    ["what their rules refuse", refused(9, "ftd", "rejected_by_response"), []],
  ] as [string, Letter[], string[]][])("%s", (_, letters, types) => {
    const findings = found(letters, { history: alive });
    expect(findings.map(({ kind, eventType }) => `${kind} ${eventType}`)).toEqual(
      types.map((type) => `refused_payload ${type}`),
    );
  });
  describe("of what the endpoint took in the same hours", () => {
    // From 0:00 to 0:04, so all in one hour.
    const at = day0 + 20 * dayMs;
    const taking = (delivered: number, ...more: [fromMs: number, hours: number][]) => ({
      hours: [
        { atMs: at, attempts: delivered, delivered },
        ...more.flatMap(([fromMs, hours]) => healthy(fromMs, hours, 1_000_000)),
      ],
    });
    const others = refused(50, "ftd").map((letter) => ({ ...letter, atMs: letter.atMs - 10 * dayMs }));
    test.each([
      ["one in a thousand", refused(5, "ftd"), taking(4_995), 1],
      ["one less", refused(5, "ftd"), taking(4_996), 0],
      ["five among a million", refused(5, "ftd"), taking(1_000_000), 0],
      [
        "1,002 among a million",
        refused(1_002, "ftd").map((one) => ({ ...one, atMs: at })),
        taking(1_000_000),
        1,
      ],
      [
        "before and after it much was taken",
        refused(5, "ftd"),
        taking(100, [at - dayMs, 24], [at + hourMs, 24]),
        1,
      ],
      ["long ago others were refused, and now few", [...others, ...refused(5, "ftd")], taking(4_996), 0],
      ["long ago others were refused, and now many", [...others, ...refused(5, "ftd")], taking(4_995), 1],
    ] as [string, Letter[], Partial<EndpointHistory>, number][])("%s", (_, letters, history, count) => {
      expect(found(letters, { history })).toHaveLength(count);
      const limited = letters.map((letter) => ({ ...letter, reason: "rate_limited" as const }));
      expect(found(limited, { history })).toHaveLength(count);
    });
  });
  test("the requeue is of that type alone", () => {
    const [finding] = found(refused(5, "ftd"));
    expect(finding?.actions.at(-1)).toMatchObject({
      kind: "requeue",
      mode: "render_again",
      filter: { endpoint: "e1", event_type: "ftd" },
    });
  });
});

describe("gone or moved", () => {
  /** A whole hour. */
  const at = nowMs - 20 * hourMs;
  const until = (lastSuccessAtMs: number) => ({ lastSuccessAtMs });
  const hour = (delivered: number) => ({
    lastSuccessAtMs: at + 59 * minuteMs,
    hours: [{ atMs: at, attempts: 100, delivered }],
  });
  /** What is taken until `at`, and what is refused from then on. */
  const taken = { lastSuccessAtMs: at - 1, hours: healthy(at - 7 * dayMs, 168) };
  const moving = row(5, "not_found", hourMs, at);
  test.each([
    ["five 404, nothing else", row(5, "not_found", hourMs), {}, ["moved"]],
    ["four 404", row(4, "not_found", hourMs), {}, []],
    ["a 404 for some of what it takes", row(50, "not_found", 2 * hourMs, day0 + 22 * dayMs), alive, []],
    ["redirects", row(5, "redirect", hourMs), {}, ["moved"]],
    ["one 410", row(1, "gone", 0), {}, ["moved"]],
    ["one 410, and a success that was under way", row(1, "gone", 0, at), until(at + 4 * minuteMs), ["moved"]],
    ["one 410, and others got through later", row(1, "gone", 0, at), until(at + 5 * minuteMs), []],
    ["a 410 long ago, and one now", row(2, "gone", 8 * dayMs, at - 8 * dayMs), until(at - dayMs), ["moved"]],
    [
      "moved, after a stray 404 long ago",
      [...row(1, "not_found", 0, at - 5 * dayMs), ...moving],
      taken,
      ["moved"],
    ],
    ["moved for long, and mended", row(60, "not_found", hourMs, at - 70 * hourMs), taken, []],
    [
      "five 404 in one hour with five that it took",
      row(5, "not_found", 11 * minuteMs, at),
      hour(5),
      ["moved"],
    ],
    ["five 404 in one hour with six that it took", row(5, "not_found", 11 * minuteMs, at), hour(6), []],
    ["the same late in the hour", row(5, "not_found", minuteMs, at + 50 * minuteMs), hour(6), []],
    [
      "moved in the midst of a busy hour",
      row(50, "not_found", minuteMs / 2, at + 30 * minuteMs),
      hour(50),
      ["moved"],
    ],
    ["misdirected", row(9, "misdirected", hourMs), {}, []],
  ] as [string, Letter[], Partial<EndpointHistory>, FindingKind[]][])(
    "%s",
    (_, letters, history, expected) => {
      expect(kinds(found(letters, { history }))).toEqual(expected);
    },
  );
  test("says which of the three it is", () => {
    expect(found(row(5, "redirect", 1))[0]?.remedy).toContain("redirect names");
    expect(found(row(1, "gone", 1))[0]?.sentence).toContain("gone for good");
    expect(found(row(5, "not_found", 1))[0]?.sentence).toContain("nothing at this URL");
  });
});

describe("configuration", () => {
  const reasons: Reason[] = [
    "blocked_address",
    "certificate_invalid",
    "unsafe_path_value",
    "unmapped_value",
    "url_too_long",
    "body_too_long",
    "secret_missing",
  ];
  test.each(reasons)("three of %s", (reason) => {
    const [finding, more] = found(row(3, reason, hourMs), { history: alive });
    expect(more).toBeUndefined();
    expect(finding).toMatchObject({ kind: "configuration", reason, evidence: { count: 3 } });
    expect(found(row(2, reason, hourMs), { history: alive })).toEqual([]);
  });
  test.each([
    ["what the template made of them", "unmapped_value", "render_again"],
    ["what their server is", "certificate_invalid", "same_url"],
    ["a secret, which comes in at send", "secret_missing", "same_url"],
  ] as [string, Reason, string][])("the requeue of %s", (_, reason, mode) => {
    const [finding] = found(row(3, reason, hourMs), { history: alive });
    expect(finding?.actions.at(-1)).toMatchObject({ kind: "requeue", mode });
  });
  test.each([
    ["certificate_invalid", nowMs, "was not valid: 3 deliveries", "Put these back."],
    [
      "certificate_invalid",
      day0 + 10 * dayMs + 2 * hourMs,
      "is not valid: 3 deliveries",
      "Ask them to renew",
    ],
    ["blocked_address", nowMs, "The address lay in", "Put these back."],
    ["secret_missing", nowMs, "The template needed", "Put these back."],
    // Of single events: that others get through says nothing.
    ["unmapped_value", nowMs, "have no result for a value: 3", "Add the value to the map"],
  ] as [Reason, number, string, string][])(
    "%s, where something got through at %d",
    (reason, lastSuccessAtMs, sentence, remedy) => {
      const [finding] = found(row(3, reason, hourMs), { history: { ...alive, lastSuccessAtMs } });
      expect(finding?.sentence).toContain(sentence);
      expect(finding?.remedy).toContain(remedy);
    },
  );
  test("each reason is a finding of its own", () => {
    const findings = found(reasons.flatMap((reason) => row(3, reason, hourMs)));
    expect(findings.map(({ reason }) => reason).sort()).toEqual([...reasons].sort());
    expect(new Set(findings.map(findingKey)).size).toBe(reasons.length);
  });
});

describe("poison", () => {
  const at = day0 + 25 * dayMs;
  const event = (
    endpoints: string[],
    change: Partial<FailingEvent["letters"][number]> = {},
    eventId = "ev",
  ): FailingEvent => ({
    eventId,
    eventType: "deposit",
    affiliateId: "a1",
    waiting: 0,
    letters: endpoints.map((endpointId, n) => ({
      deliveryId: n + 1,
      endpointId,
      reason: "server_error",
      status: 500,
      endedAtMs: at,
      ...change,
    })),
  });
  const takers = (hours = healthy(at - 24 * hourMs, 48)) =>
    ["e1", "e2", "e3"].map((endpointId) => historyOf({ endpointId, hours }));
  test.each([
    ["at both of its endpoints", event(["e1", "e2"]), takers(), 1],
    ["at one", event(["e1"]), takers(), 0],
    ["at one twice", event(["e1", "e1"]), takers(), 0],
    ["where nothing was delivered around", event(["e1", "e2"]), takers(healthy(at - 100 * hourMs, 48)), 0],
    [
      "where little was delivered around",
      event(["e1", "e2"]),
      takers([{ atMs: at, attempts: 100, delivered: 49 }]),
      0,
    ],
    ["where half was", event(["e1", "e2"]), takers([{ atMs: at, attempts: 100, delivered: 50 }]), 1],
    ["where nobody could be reached", event(["e1", "e2"], { reason: "timeout" }), takers(), 0],
    ["at an endpoint of which nothing is known", event(["e1", "e9"]), takers(), 0],
  ] as [string, FailingEvent, EndpointHistory[], number][])(
    "an event that fails %s",
    (_, failing, histories, count) => {
      expect(found([], { events: [failing], histories })).toHaveLength(count);
    },
  );
  test("within an outage of one of them it says nothing", () => {
    const outage = many(
      60,
      (n): Letter => ({ endpointId: "e2", reason: "server_error", atMs: at + n * 100 }),
    );
    expect(kinds(found(outage, { events: [event(["e1", "e2"])], histories: takers() }))).toEqual(["outage"]);
  });
  test("names the event, and what was answered", () => {
    const [finding] = found([], { events: [event(["e1", "e2", "e3"])], histories: takers() });
    expect(finding).toMatchObject({
      kind: "poison",
      endpointId: null,
      eventId: "ev",
      evidence: {
        count: 3,
        endpoints: 3,
        samples: ["3", "2", "1"],
        answers: [{ reason: "server_error", status: 500, count: 3 }],
      },
    });
    expect(finding?.actions.map(({ kind }) => kind)).toEqual(["open_event", "open_event_type"]);
  });
  test("tells of no more than it should, the earliest first", () => {
    const events = many(30, (n) => ({ reason: "gone", atMs: n })).map(({ atMs: n }) =>
      event(["e1", "e2"], { endedAtMs: at + (30 - n) * 1_000 }, `ev${n}`),
    );
    const findings = found([], { events, histories: takers() });
    expect(findings.map(({ eventId }) => eventId).sort()).toEqual(
      many(20, (n) => ({ reason: "gone", atMs: n + 10 }))
        .map(({ atMs }) => `ev${atMs}`)
        .sort(),
    );
  });
});

test("reasons that say nothing of a pattern are no finding, whatever their number", () => {
  const letters = (
    ["client_error", "rejected_by_response", "worker_lost", "body_purged", "invalid_data"] as const
  ).flatMap((reason) => row(500, reason, 1_000));
  expect(found(letters)).toEqual([]);
});

test("in question is whoever has as many as any finding needs, and one that said that it is gone", () => {
  const at = (endpointId: string, letters: Letter[]) => letters.map((one) => ({ ...one, endpointId }));
  const letters = [
    ...at("three", row(3, "timeout", minuteMs)),
    ...at("two", row(2, "timeout", minuteMs)),
    ...at("gone", row(1, "gone", minuteMs)),
  ];
  const event: FailingEvent = {
    eventId: "ev",
    eventType: "deposit",
    affiliateId: "a1",
    waiting: 0,
    letters: [{ deliveryId: 1, endpointId: "refusing", reason: "bad_request", status: 400, endedAtMs: day0 }],
  };
  const given = { groups: groupsOf(letters), failingEvents: [event], open: [] };
  expect(endpointsInQuestion(given)).toEqual(["three", "gone", "refusing"]);
});

test("an endpoint without a history is passed over", () => {
  expect(found(row(60, "timeout", 1_000), { histories: [] })).toEqual([]);
});

test("the stretch that is under way ends now", () => {
  const [finding] = found(row(5, "unauthorized", 1, nowMs - 60_000));
  expect(finding?.evidence.last_at).toBe(new Date(nowMs).toISOString());
});

test("thresholds are parameters", () => {
  const input = {
    groups: groupsOf(row(10, "timeout", minuteMs)),
    histories: [historyOf()],
    failingEvents: [],
    open: [],
    nowMs,
  };
  expect(diagnose(input)).toEqual([]);
  const outage = { count: 10, withinMinutes: 10, share: 1 };
  expect(kinds(diagnose(input, { ...defaultThresholds, outage }))).toEqual(["outage"]);
});
