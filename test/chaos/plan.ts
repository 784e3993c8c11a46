/** What happens to the system while events are published. `stop`: SIGSTOP past the lease, then SIGCONT. */
export type Disturbance = "kill" | "stop" | "restart_immediate" | "restart_fast";

/** `afterMs`: since the step's events were published, so that they are somewhere between claim and settlement. */
export type Step = {
  events: number;
  pauseMs: number;
  disturbances: { kind: Disturbance; afterMs: number }[];
};

export type Random = () => number;

/** Mulberry32: numbers in [0, 1) that follow from the seed alone. */
export function createRandom(seed: number): Random {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let t = Math.imul(state ^ (state >>> 15), state | 1);
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32;
  };
}

const pauseMs = 100;
const eventsPerStep = 20;
const longestDelayMs = 150;
/** For so many kills there is a stop beside them. */
const killsPerStop = 5;

/** How many workers are stopped past their lease in a run with so many kills. */
export function stopsFor(kills: number): number {
  return Math.max(1, Math.floor(kills / killsPerStop));
}

/**
 * Spreads events, kills, stops and restarts over steps. Events come in bursts, so that a kill finds little in flight at
 * times and much at others; each disturbance comes into a burst. The last fifth is left in peace.
 */
export function makePlan(options: {
  random: Random;
  events: number;
  kills: number;
  restarts: number;
  /** Between steps that disturb: what is disturbed needs a while to be worth it again. */
  spread: number;
}): Step[] {
  const { random, events, kills, restarts, spread } = options;
  const kinds = planDisturbances({ random, kills, restarts });
  const count = Math.max(Math.ceil(events / eventsPerStep), (kills + restarts) * spread);
  const weights = Array.from({ length: count }, () => random() ** 3);
  const disturbed = kinds.map((_, i) => Math.floor(((i + random()) / kinds.length) * count * 0.8));
  for (const step of disturbed) weights[step] = 3;
  const total = weights.reduce((sum, weight) => sum + weight, 0);
  const steps: Step[] = [];
  let [shared, published] = [0, 0];
  for (const weight of weights) {
    shared += weight;
    const until = Math.round((shared / total) * events);
    steps.push({ events: until - published, pauseMs, disturbances: [] });
    published = until;
  }
  disturbed.forEach((step, i) => {
    const afterMs = Math.round(random() * longestDelayMs);
    steps[step]?.disturbances.push({ kind: kinds[i] as Disturbance, afterMs });
  });
  return steps;
}

/** Kills and restarts in any order, and stops evenly among them from the start on, as none is over soon. */
function planDisturbances(options: { random: Random; kills: number; restarts: number }): Disturbance[] {
  const { random, kills, restarts } = options;
  const others = shuffled<Disturbance>(
    [
      ...Array<Disturbance>(kills).fill("kill"),
      ...Array.from({ length: restarts }, (_, i) => (i % 2 === 0 ? "restart_immediate" : "restart_fast")),
    ],
    random,
  );
  const stops = stopsFor(kills);
  const perStop = Math.ceil(others.length / stops);
  return Array.from({ length: stops }, (_, i) => [
    "stop" as const,
    ...others.slice(i * perStop, (i + 1) * perStop),
  ]).flat();
}

function shuffled<T>(items: T[], random: Random): T[] {
  return items
    .map((item) => ({ item, place: random() }))
    .sort((a, b) => a.place - b.place)
    .map(({ item }) => item);
}
