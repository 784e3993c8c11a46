import fc from "fast-check";
import { expect, test } from "vitest";
import { admit, readyAtMs } from "#lib/delivery/admission.ts";
import {
  type Breaker,
  type BreakerChange,
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
import { breakerCauses } from "#lib/vocabulary.ts";

const concurrency = 16;
const threshold = 10;
const verdicts = ["success", "failure", "neutral", "unsent"] as const;

/** An endpoint as the claim and settle treat it: what is in flight carries the epoch that it was claimed under. */
type Endpoint = { breaker: Breaker; inFlight: number[]; nowMs: number; probes: number };

function admitted({ breaker, inFlight, nowMs }: Endpoint): number {
  const gate = {
    readyAtMs: readyAtMs({ active: true, breaker, heldUntilMs: null, rate: null }),
    breaker: breaker.state,
    ramp: breaker.ramp,
    inFlight: inFlight.length,
    concurrency,
    rate: null,
  };
  return admit(gate, { nowMs, share: 50, holdFactor: 4, workersAlive: 1 });
}

function claim(endpoint: Endpoint): void {
  const n = admitted(endpoint);
  const { breaker } = endpoint;
  if (breaker.state === "open" && n > 0) {
    expect(endpoint.nowMs).toBeGreaterThanOrEqual(breaker.retryAtMs as number);
    expect(n).toBe(1);
    endpoint.breaker = startProbe(breaker).breaker;
    endpoint.probes += 1;
  }
  if (breaker.state === "half_open") expect(n).toBe(0);
  if (breaker.ramp !== null)
    expect(endpoint.inFlight.length + n).toBeLessThanOrEqual(
      Math.max(breaker.ramp, endpoint.inFlight.length),
    );
  for (let i = 0; i < n; i++) endpoint.inFlight.push(endpoint.breaker.epoch);
}

/** Settles the nth of what is in flight. */
function settle(endpoint: Endpoint, options: { nth: number; verdict: Verdict }): void {
  const [epoch] = endpoint.inFlight.splice(options.nth % Math.max(1, endpoint.inFlight.length), 1);
  if (epoch === undefined) return;
  const { nowMs, breaker } = endpoint;
  const change = settleResults(breaker, [{ epoch, verdict: options.verdict }], {
    nowMs,
    threshold,
    concurrency,
  });
  // A probe is known by its epoch, and nothing else moves half_open.
  if (breaker.state === "half_open" && epoch !== breaker.epoch) expect(change.breaker).toBe(breaker);
  if (breaker.state === "open") expect(change.breaker).toBe(breaker);
  endpoint.breaker = change.breaker;
}

/** A worker dies, and the reaper takes back what it held. */
function reap(endpoint: Endpoint): void {
  const { breaker, inFlight, nowMs } = endpoint;
  if (breaker.state === "half_open" && inFlight.includes(breaker.epoch))
    endpoint.breaker = probeLost(breaker, nowMs).breaker;
  endpoint.inFlight = [];
}

function consistent({ breaker, inFlight }: Endpoint): void {
  expect(breaker.retryAtMs === null).toBe(breaker.state !== "open");
  if (breaker.state !== "closed") expect(breaker.ramp).toBeNull();
  if (breaker.ramp !== null) {
    expect([1, 2, 4, 8]).toContain(breaker.ramp);
    expect(breaker.rampAnswers).toBeLessThan(breaker.ramp);
  }
  expect([300, 600, 1_200, 2_400, 3_600]).toContain(breaker.cooldownSeconds);
  expect(breaker.recent.attempts.length).toBe(breaker.recent.failures.length);
  expect(breaker.recent.attempts.length).toBeLessThanOrEqual(10);
  if (breaker.state === "half_open")
    expect(inFlight.filter((epoch) => epoch === breaker.epoch)).toHaveLength(1);
}

type Step = (endpoint: Endpoint) => void;
const byHand = (act: (endpoint: Endpoint) => BreakerChange): Step => {
  return (endpoint) => {
    endpoint.breaker = act(endpoint).breaker;
  };
};
const steps: fc.Arbitrary<Step> = fc.oneof(
  { weight: 6, arbitrary: fc.constant<Step>(claim) },
  {
    weight: 12,
    arbitrary: fc
      .record({
        nth: fc.nat(),
        verdict: fc.constantFrom<Verdict>("success", "failure", "failure", "neutral", "unsent"),
      })
      .map(
        (result): Step =>
          (endpoint) =>
            settle(endpoint, result),
      ),
  },
  {
    weight: 3,
    arbitrary: fc.integer({ min: 0, max: 4_000_000 }).map(
      (ms): Step =>
        (endpoint) => {
          endpoint.nowMs += ms;
        },
    ),
  },
  { weight: 1, arbitrary: fc.constant<Step>(reap) },
  {
    weight: 1,
    arbitrary: fc.constantFrom<Step>(
      byHand(({ breaker }) => hold(breaker)),
      byHand(({ breaker, nowMs }) => reset(breaker, nowMs)),
      byHand(({ breaker }) => close(breaker, concurrency)),
      byHand(({ breaker, nowMs }) => makeNextProbe(breaker, { nowMs, cause: "endpoint_changed" })),
    ),
  },
);

test("it never admits while open, has one probe at a time, and always recovers", () => {
  fc.assert(
    fc.property(fc.array(steps, { maxLength: 120 }), (sequence) => {
      const endpoint: Endpoint = { breaker: newBreaker, inFlight: [], nowMs: 1_764_491_628_000, probes: 0 };
      for (const step of sequence) {
        step(endpoint);
        consistent(endpoint);
        if (isHeld(endpoint.breaker)) expect(admitted(endpoint)).toBe(0);
      }
      recover(endpoint);
    }),
    { numRuns: 300 },
  );
});

/** From wherever it got: the workers die, whoever holds it lets go, and the server works again. */
function recover(endpoint: Endpoint): void {
  reap(endpoint);
  if (isHeld(endpoint.breaker)) endpoint.breaker = reset(endpoint.breaker, endpoint.nowMs).breaker;
  const waitMs = Math.max(0, (endpoint.breaker.retryAtMs ?? 0) - endpoint.nowMs);
  expect(waitMs).toBeLessThanOrEqual(3_600_000);
  endpoint.nowMs += waitMs;
  for (let rounds = 0; rounds < 12; rounds++) {
    claim(endpoint);
    expect(endpoint.inFlight.length).toBeGreaterThan(0);
    while (endpoint.inFlight.length > 0) settle(endpoint, { nth: 0, verdict: "success" });
  }
  expect(endpoint.breaker).toMatchObject({
    state: "closed",
    ramp: null,
    consecutiveFailures: 0,
    cooldownSeconds: 300,
  });
  expect(admitted(endpoint)).toBe(50);
}

test("a batch is the same as one result after the other", () => {
  const result = fc.record({ epoch: fc.integer({ min: 0, max: 1 }), verdict: fc.constantFrom(...verdicts) });
  fc.assert(
    fc.property(fc.array(result, { maxLength: 60 }), fc.boolean(), (batch, fromProbe) => {
      const options = { nowMs: 1_764_491_628_000, threshold: 4, concurrency };
      const start = fromProbe
        ? startProbe({ ...newBreaker, state: "open", retryAtMs: 0 }).breaker
        : newBreaker;
      const whole = settleResults(start, batch, options);
      let single: BreakerChange = { breaker: start, transitions: [] };
      for (const one of batch) {
        const next = settleResults(single.breaker, [one], options);
        single = { breaker: next.breaker, transitions: [...single.transitions, ...next.transitions] };
      }
      expect(whole).toEqual(single);
      whole.transitions.reduce((state, { from, to }) => {
        expect(from).toBe(state);
        return to;
      }, start.state);
    }),
  );
});

test("case 22: it opens for its failure rate when, and only when, half of 20 attempts in 5 minutes failed", () => {
  const attempt = fc.record({ afterMs: fc.integer({ min: 0, max: 40_000 }), failed: fc.boolean() });
  fc.assert(
    fc.property(fc.array(attempt, { minLength: 20, maxLength: 150 }), (attempts) => {
      let breaker = newBreaker;
      let nowMs = 1_764_491_628_000;
      const seen: { atMs: number; failed: boolean }[] = [];
      const meets = (sinceMs: number): boolean => {
        const recent = seen.filter(({ atMs }) => atMs >= sinceMs);
        return recent.length >= 20 && recent.filter(({ failed }) => failed).length * 2 >= recent.length;
      };
      for (const { afterMs, failed } of attempts) {
        nowMs += afterMs;
        seen.push({ atMs: nowMs, failed });
        const verdict = failed ? "failure" : "success";
        breaker = settleResults(breaker, [{ epoch: 0, verdict }], {
          nowMs,
          threshold: 1_000,
          concurrency,
        }).breaker;
        // It forgets whole half minutes, so that it looks back between four and a half minutes and five.
        const latest = nowMs - 270_000;
        const starts = seen.map(({ atMs }) => atMs).filter((atMs) => atMs > nowMs - 300_000 && atMs < latest);
        if (breaker.state === "open") {
          expect([...starts, latest].some(meets)).toBe(true);
          return;
        }
        if (failed) expect([...starts, latest].every(meets)).toBe(false);
      }
    }),
    { numRuns: 200 },
  );
});

test("no state is out of reach, none is a dead end, and every cause occurs", () => {
  const small = { threshold: 2, concurrency: 4, nowMs: 0 };
  const moves: Record<string, (breaker: Breaker) => BreakerChange> = {
    ...Object.fromEntries(
      verdicts.map((verdict) => [
        verdict,
        (breaker: Breaker) => settleResults(breaker, [{ epoch: breaker.epoch, verdict }], small),
      ]),
    ),
    // Time passes, or not, and the claim looks.
    probe: (breaker) => (isHeld(breaker) ? { breaker, transitions: [] } : startProbe(breaker)),
    lost: (breaker) => probeLost(breaker, 0),
    hold,
    reset: (breaker) => reset(breaker, 0),
    close: (breaker) => close(breaker, small.concurrency),
    change: (breaker) => makeNextProbe(breaker, { nowMs: 0, cause: "endpoint_changed" }),
    resume: (breaker) => makeNextProbe(breaker, { nowMs: 0, cause: "resumed" }),
  };
  const unattended = [...verdicts, "probe", "lost"];
  /** What decides how it goes on. The window is left out: at most 20 attempts are seen here. */
  const nameOf = (b: Breaker) =>
    [
      isHeld(b) ? "held" : b.state,
      `cooldown ${b.cooldownSeconds}`,
      `ramp ${b.ramp} ${b.rampAnswers}`,
      `failures ${b.state === "closed" ? b.consecutiveFailures : "-"}`,
    ].join(", ");

  const reached = new Map<string, Breaker>([[nameOf(newBreaker), newBreaker]]);
  const edges = new Map<string, Map<string, string>>();
  const causes = new Set<string>();
  for (const [name, breaker] of reached) {
    const out = new Map<string, string>();
    edges.set(name, out);
    expect(reached.size).toBeLessThan(100);
    for (const [move, act] of Object.entries(moves)) {
      const { breaker: to, transitions } = act({ ...breaker, recent: newBreaker.recent });
      for (const { cause } of transitions) causes.add(cause);
      out.set(move, nameOf(to));
      if (!reached.has(nameOf(to))) reached.set(nameOf(to), to);
    }
  }

  // failure_rate needs twenty attempts, which a threshold of 2 and an emptied window do not allow.
  expect(breakerCauses.filter((cause) => !causes.has(cause))).toEqual(["failure_rate"]);
  const cooldowns = [300, 600, 1_200, 2_400, 3_600];
  expect([...reached.keys()].sort()).toEqual(
    [
      ...["open", "held", "half_open"].flatMap((state) =>
        cooldowns.map((seconds) => `${state}, cooldown ${seconds}, ramp null 0, failures -`),
      ),
      ...["null 0", "1 0", "2 0", "2 1"].flatMap((ramp) =>
        [0, 1].map((failures) => `closed, cooldown 300, ramp ${ramp}, failures ${failures}`),
      ),
    ].sort(),
  );

  const home = nameOf(newBreaker);
  const leadsHome = (start: string, allowed: readonly string[]): boolean => {
    const seen = new Set([start]);
    for (const name of seen) for (const move of allowed) seen.add(edges.get(name)?.get(move) as string);
    return seen.has(home);
  };
  for (const name of reached.keys()) {
    // Whoever holds it by hand lets go by hand; from everywhere else it finds its own way.
    if (!name.startsWith("held")) expect(leadsHome(name, unattended), name).toBe(true);
    expect(leadsHome(name, ["reset", "probe", "success", "lost"]), name).toBe(true);
  }
});
