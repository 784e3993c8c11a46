import { describe, expect, it, test } from "vitest";
import {
  type Breaker,
  type BreakerChange,
  type BreakerResult,
  close,
  hold,
  isHeld,
  makeNextProbe,
  newBreaker,
  probeLost,
  reset,
  settleResults,
  startProbe,
} from "#lib/delivery/breaker.ts";
import type { Verdict } from "#lib/delivery/verdict.ts";

const nowMs = 1_764_491_628_000;
const settings = { nowMs, threshold: 10, concurrency: 16 };

function results(breaker: Breaker, ...verdicts: Verdict[]): BreakerResult[] {
  return verdicts.map((verdict) => ({ epoch: breaker.epoch, verdict }));
}
const times = (n: number, verdict: Verdict): Verdict[] => new Array<Verdict>(n).fill(verdict);

function settled(breaker: Breaker, verdicts: Verdict[], options = settings): BreakerChange {
  return settleResults(breaker, results(breaker, ...verdicts), options);
}
const open = settled(newBreaker, times(10, "failure")).breaker;
const probing = startProbe(open).breaker;
const ramping = settled(probing, ["success"]).breaker;

describe("case 21: ten consecutive failures", () => {
  test("nine do not open it, the tenth does, for 300 s", () => {
    expect(settled(newBreaker, times(9, "failure"))).toMatchObject({
      breaker: { state: "closed", retryAtMs: null, consecutiveFailures: 9 },
      transitions: [],
    });
    expect(settled(newBreaker, times(10, "failure"))).toMatchObject({
      breaker: { state: "open", retryAtMs: nowMs + 300_000, consecutiveFailures: 10, cooldownSeconds: 300 },
      transitions: [{ from: "closed", to: "open", cause: "consecutive_failures", cooldownSeconds: 300 }],
    });
  });
  test("a success starts the count anew", () => {
    const { breaker } = settled(newBreaker, [...times(9, "failure"), "success", ...times(9, "failure")]);
    expect(breaker).toMatchObject({ state: "closed", consecutiveFailures: 9 });
  });
  test("case 20: a neutral answer neither counts nor resets", () => {
    const { breaker } = settled(newBreaker, [...times(9, "failure"), ...times(30, "neutral")]);
    expect(breaker).toMatchObject({ state: "closed", consecutiveFailures: 9 });
    expect(settled(breaker, ["failure"]).breaker.state).toBe("open");
  });
  test("the threshold is the caller's", () => {
    const halved = { ...settings, threshold: 5 };
    expect(settled(newBreaker, times(4, "failure"), halved).breaker.state).toBe("closed");
    expect(settled(newBreaker, times(5, "failure"), halved).breaker.state).toBe("open");
    // Halved while nine had been counted: the next one opens it.
    const nine = settled(newBreaker, times(9, "failure")).breaker;
    expect(settled(nine, ["failure"], halved).breaker.state).toBe("open");
  });
  test("the order within a batch counts", () => {
    expect(settled(newBreaker, [...times(9, "failure"), "success", "failure"]).breaker.state).toBe("closed");
    expect(settled(newBreaker, ["success", ...times(10, "failure")]).breaker.state).toBe("open");
  });
  test("what was under way when it opened changes nothing", () => {
    const { breaker, transitions } = settled(newBreaker, [...times(10, "failure"), ...times(20, "success")]);
    expect(breaker).toEqual(open);
    expect(transitions).toHaveLength(1);
    expect(settled(open, ["success", "failure", "neutral"])).toEqual({ breaker: open, transitions: [] });
  });
});

describe("case 21: the probe", () => {
  test("starts from open alone, under an epoch of its own", () => {
    expect(startProbe(open)).toEqual({
      breaker: { ...open, state: "half_open", retryAtMs: null, epoch: open.epoch + 1 },
      transitions: [{ from: "open", to: "half_open", cause: "probe_started", cooldownSeconds: 300 }],
    });
    for (const breaker of [newBreaker, probing])
      expect(startProbe(breaker)).toEqual({ breaker, transitions: [] });
  });
  test("only its own result moves it: those of earlier claims change nothing", () => {
    const late = results(open, "success", "failure", "neutral");
    expect(settleResults(probing, late, settings)).toEqual({ breaker: probing, transitions: [] });
  });
  test("its failure doubles the cooldown, up to an hour", () => {
    let breaker = open;
    const cooldowns = [];
    for (let i = 0; i < 6; i++) {
      const change = settled(startProbe(breaker).breaker, ["failure"]);
      breaker = change.breaker;
      expect(breaker).toMatchObject({ state: "open", consecutiveFailures: 11 + i });
      expect(breaker.retryAtMs).toBe(nowMs + breaker.cooldownSeconds * 1_000);
      const { cooldownSeconds } = breaker;
      expect(change.transitions).toEqual([
        { from: "half_open", to: "open", cause: "probe_failed", cooldownSeconds },
      ]);
      cooldowns.push(cooldownSeconds);
    }
    expect(cooldowns).toEqual([600, 1_200, 2_400, 3_600, 3_600, 3_600]);
  });
  it.each([
    ["success", "probe_succeeded"],
    ["neutral", "probe_neutral"],
  ] as const)("a %s closes it and resets counter, cooldown and window", (verdict, cause) => {
    const again = startProbe(settled(probing, ["failure"]).breaker).breaker;
    const change = settled(again, [verdict]);
    expect(change.breaker).toEqual({ ...newBreaker, epoch: again.epoch, ramp: 1 });
    expect(change.transitions).toEqual([{ from: "half_open", to: "closed", cause, cooldownSeconds: 300 }]);
    expect(settled(change.breaker, times(9, "failure")).breaker.state).toBe("closed");
    const next = settled(change.breaker, times(10, "failure"));
    expect(next.breaker.retryAtMs).toBe(nowMs + 300_000);
  });
  test("results claimed before it opened stay without effect after it closed", () => {
    expect(settleResults(ramping, results(open, ...times(30, "failure")), settings).breaker).toEqual(ramping);
  });
  test("when it is lost another may go at once, the cooldown as it was", () => {
    const twice = startProbe(settled(probing, ["failure"]).breaker).breaker;
    const { breaker, transitions } = probeLost(twice, nowMs + 7);
    expect(breaker).toMatchObject({ state: "open", retryAtMs: nowMs + 7, cooldownSeconds: 600 });
    expect(transitions).toEqual([
      { from: "half_open", to: "open", cause: "probe_lost", cooldownSeconds: 600 },
    ]);
    // Its result comes after all, when the next probe is under way.
    const next = startProbe(breaker).breaker;
    expect(settleResults(next, results(twice, "success"), settings).breaker).toEqual(next);
  });
  test("when nothing was sent it is as if it were lost: neither closed, nor its cooldown doubled", () => {
    const change = settled(probing, ["unsent"], { ...settings, nowMs: nowMs + 7 });
    expect(change).toEqual(probeLost(probing, nowMs + 7));
    expect(change.breaker).toMatchObject({ state: "open", retryAtMs: nowMs + 7, cooldownSeconds: 300 });
  });
  test("otherwise what was not sent neither counts, nor resets, nor climbs", () => {
    const nine = settled(newBreaker, times(9, "failure")).breaker;
    for (const breaker of [newBreaker, nine, open, ramping])
      expect(settled(breaker, times(30, "unsent"))).toEqual({ breaker, transitions: [] });
    const { breaker, transitions } = settled(newBreaker, [...times(10, "failure"), "unsent"]);
    expect(breaker).toEqual(open);
    expect(transitions).toHaveLength(1);
  });
  test("nothing else is lost with a worker", () => {
    for (const breaker of [newBreaker, open, ramping])
      expect(probeLost(breaker, nowMs)).toEqual({ breaker, transitions: [] });
  });
});

describe("after closing", () => {
  test("concurrency ramps 1, 2, 4, 8 to its limit", () => {
    const steps: (number | null)[] = [];
    let breaker = ramping;
    for (let i = 0; i < 16; i++) {
      steps.push(breaker.ramp);
      breaker = settled(breaker, ["success"]).breaker;
    }
    expect(steps).toEqual([1, 2, 2, 4, 4, 4, 4, 8, 8, 8, 8, 8, 8, 8, 8, null]);
    expect(breaker.ramp).toBeNull();
    expect(breaker.rampAnswers).toBe(0);
  });
  test("neutral answers climb too, so that refused payloads do not slow an endpoint for ever", () => {
    expect(settled(ramping, ["neutral"]).breaker).toMatchObject({ ramp: 2, rampAnswers: 0 });
    expect(settled(ramping, ["neutral", "success"]).breaker).toMatchObject({ ramp: 2, rampAnswers: 1 });
  });
  test("failures do not climb, and opening ends the ramp", () => {
    expect(settled(ramping, ["success", "failure"]).breaker).toMatchObject({ ramp: 2, rampAnswers: 0 });
    const three = settled(ramping, ["success", "success"]).breaker;
    expect(three).toMatchObject({ ramp: 2, rampAnswers: 1 });
    expect(settled(three, times(10, "failure")).breaker).toMatchObject({ ramp: null, rampAnswers: 0 });
  });
  it.each([
    [1, null, null],
    [2, 1, null],
    [3, 1, 2],
  ])("with a concurrency of %i the ramp starts at %s and goes to %s", (concurrency, first, second) => {
    const options = { ...settings, concurrency };
    const closed = settled(probing, ["success"], options).breaker;
    expect(closed.ramp).toBe(first);
    expect(settled(closed, ["success"], options).breaker.ramp).toBe(second);
  });
});

describe("case 22: the failure rate", () => {
  const mixed = (failures: number, successes: number): Verdict[] => [
    ...times(successes, "success"),
    ...times(failures, "failure"),
  ];
  const patient = { ...settings, threshold: 1_000 };

  test("half of twenty opens it, by the twentieth attempt", () => {
    expect(settled(newBreaker, mixed(9, 10), patient).breaker.state).toBe("closed");
    expect(settled(newBreaker, mixed(10, 10), patient)).toMatchObject({
      breaker: { state: "open", retryAtMs: nowMs + 300_000 },
      transitions: [{ cause: "failure_rate", cooldownSeconds: 300 }],
    });
  });
  test("less than half does not", () => {
    expect(settled(newBreaker, mixed(20, 21), patient).breaker.state).toBe("closed");
    expect(settled(newBreaker, mixed(21, 21), patient).breaker.state).toBe("open");
  });
  test("nineteen of nineteen are too few", () => {
    expect(settled(newBreaker, times(19, "failure"), patient).breaker.state).toBe("closed");
  });
  test("90 % of 30 attempts open it though never ten fail in a row", () => {
    const thirty = [1, 2, 3].flatMap((): Verdict[] => [...times(9, "failure"), "success"]);
    expect(settled(newBreaker, thirty)).toMatchObject({
      breaker: { state: "open" },
      transitions: [{ cause: "failure_rate" }],
    });
  });
  test("neutral answers are no attempts here", () => {
    const verdicts: Verdict[] = [...times(50, "neutral"), ...times(19, "failure")];
    expect(settled(newBreaker, verdicts, patient).breaker.state).toBe("closed");
    expect(settled(newBreaker, [...times(50, "neutral"), ...mixed(10, 10)], patient).breaker.state).toBe(
      "open",
    );
  });
  test("a success never opens it", () => {
    const nearly = settled(newBreaker, times(19, "failure"), patient).breaker;
    expect(settled(nearly, ["success"], patient).breaker.state).toBe("closed");
  });
  test("one poison payload among successes does nothing", () => {
    const poisoned = Array.from({ length: 200 }, (_, i): Verdict => (i % 5 === 0 ? "failure" : "success"));
    expect(settled(newBreaker, poisoned).breaker.state).toBe("closed");
  });

  const at = (ms: number) => ({ ...patient, nowMs: ms });
  // The start of a half minute.
  const slotStart = Math.ceil(nowMs / 30_000) * 30_000;

  test("attempts are forgotten after five minutes, half minute by half minute", () => {
    const some = settled(newBreaker, times(19, "failure"), at(slotStart)).breaker;
    expect(settled(some, ["failure"], at(slotStart + 299_999)).breaker.state).toBe("open");
    expect(settled(some, ["failure"], at(slotStart + 300_000)).breaker.state).toBe("closed");
    expect(settled(some, ["failure"], at(slotStart + 86_400_000)).breaker.recent).toEqual({
      slot: (slotStart + 86_400_000) / 30_000,
      attempts: [1, 0, 0, 0, 0, 0, 0, 0, 0, 0],
      failures: [1, 0, 0, 0, 0, 0, 0, 0, 0, 0],
    });
  });
  test("each half minute is kept apart", () => {
    const first = settled(newBreaker, ["failure", "success"], at(slotStart)).breaker;
    const second = settled(first, ["success"], at(slotStart + 30_000)).breaker;
    expect(settled(second, ["failure"], at(slotStart + 119_999)).breaker.recent).toEqual({
      slot: slotStart / 30_000 + 3,
      attempts: [1, 0, 1, 2, 0, 0, 0, 0, 0, 0],
      failures: [1, 0, 0, 1, 0, 0, 0, 0, 0, 0],
    });
  });
  test("a clock that steps back counts into the newest half minute", () => {
    const first = settled(newBreaker, ["failure"], at(slotStart)).breaker;
    const back = settled(first, ["success"], at(slotStart - 3_600_000)).breaker;
    expect(back.recent.slot).toBe(slotStart / 30_000);
    expect(back.recent.attempts.slice(0, 2)).toEqual([2, 0]);
    expect(back.recent.failures.slice(0, 2)).toEqual([1, 0]);
  });
});

describe("by hand", () => {
  test("held: open without an end, whatever it was", () => {
    for (const breaker of [newBreaker, open, probing, ramping]) {
      const change = hold(breaker);
      expect(change.breaker).toMatchObject({
        state: "open",
        ramp: null,
        retryAtMs: Number.POSITIVE_INFINITY,
      });
      expect(change.transitions).toEqual([
        { from: breaker.state, to: "open", cause: "held", cooldownSeconds: breaker.cooldownSeconds },
      ]);
      expect(isHeld(change.breaker)).toBe(true);
      expect(isHeld(breaker)).toBe(false);
    }
  });
  test("held twice is held once", () => {
    const { breaker } = hold(open);
    expect(hold(breaker)).toEqual({ breaker, transitions: [] });
  });
  test("the result of a probe that was under way when it was held changes nothing", () => {
    const { breaker } = hold(probing);
    expect(settleResults(breaker, results(probing, "success"), settings).breaker).toEqual(breaker);
    expect(probeLost(breaker, nowMs).breaker).toEqual(breaker);
  });
  test("reset: the next delivery is the probe, with the first cooldown", () => {
    const doubled = settled(probing, ["failure"]).breaker;
    for (const breaker of [open, doubled, hold(doubled).breaker]) {
      const change = reset(breaker, nowMs + 5);
      expect(change.breaker).toMatchObject({ state: "open", retryAtMs: nowMs + 5, cooldownSeconds: 300 });
      expect(change.transitions).toEqual([
        { from: "open", to: "open", cause: "reset", cooldownSeconds: 300 },
      ]);
    }
    for (const breaker of [newBreaker, probing, ramping])
      expect(reset(breaker, nowMs)).toEqual({ breaker, transitions: [] });
  });
  test("closed: it ramps, and results of earlier requests do not count", () => {
    for (const breaker of [open, probing, hold(probing).breaker]) {
      const change = close(breaker, 16);
      expect(change.breaker).toEqual({ ...newBreaker, epoch: breaker.epoch + 1, ramp: 1 });
      expect(change.transitions).toEqual([
        { from: breaker.state, to: "closed", cause: "closed_by_hand", cooldownSeconds: 300 },
      ]);
      const late = results(breaker, ...times(30, "failure"));
      expect(settleResults(change.breaker, late, settings).breaker).toEqual(change.breaker);
    }
    for (const breaker of [newBreaker, ramping])
      expect(close(breaker, 16)).toEqual({ breaker, transitions: [] });
  });
});

describe("case 21: the owner fixes the URL, or the endpoint is resumed", () => {
  it.each(["endpoint_changed", "resumed"] as const)(
    "%s: the next delivery is the probe, at once",
    (cause) => {
      const doubled = settled(probing, ["failure"]).breaker;
      for (const breaker of [open, doubled, probing]) {
        const change = makeNextProbe(breaker, { nowMs: nowMs + 9, cause });
        expect(change.breaker).toMatchObject({
          state: "open",
          retryAtMs: nowMs + 9,
          cooldownSeconds: breaker.cooldownSeconds,
        });
        const { cooldownSeconds } = breaker;
        expect(change.transitions).toEqual([{ from: breaker.state, to: "open", cause, cooldownSeconds }]);
        // The probe that went to the old URL tells nothing about the new one.
        const next = startProbe(change.breaker).breaker;
        expect(settleResults(next, results(breaker, "failure"), settings).breaker).toEqual(next);
        expect(change.breaker.epoch).toBe(breaker.epoch + 1);
      }
    },
  );
  test("unless it is held by hand: then only results of earlier requests are done with", () => {
    const { breaker } = hold(open);
    expect(makeNextProbe(breaker, { nowMs, cause: "resumed" })).toEqual({
      breaker: { ...breaker, epoch: breaker.epoch + 1 },
      transitions: [],
    });
  });
  test("a closed one forgets what it counted, and stays closed", () => {
    const nine = settled(newBreaker, times(9, "failure")).breaker;
    const { breaker, transitions } = makeNextProbe(nine, { nowMs, cause: "endpoint_changed" });
    expect(breaker).toEqual({ ...newBreaker, epoch: nine.epoch + 1 });
    expect(transitions).toEqual([]);
    expect(settleResults(breaker, results(nine, ...times(10, "failure")), settings).breaker).toEqual(breaker);
  });
});
