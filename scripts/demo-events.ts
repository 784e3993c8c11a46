export type DemoEvent = { type: string; affiliate: string; data: Facts };

export type EventSource = {
  /** The next event; the same ones in the same order for the same seed. */
  next(occurredAt: Date): DemoEvent;
};

type Facts = Record<string, string | number>;
/** One player or customer: what is to happen to them, and what all of it has in common. */
type Journey = { affiliate: string; steps: string[]; facts: Facts; isPlayer: boolean };

const openJourneys = 200;

/** Country, currency, and roughly how much of it makes a euro. */
const markets = [
  ["SE", "SEK", 11],
  ["DE", "EUR", 1],
  ["FI", "EUR", 1],
  ["GB", "GBP", 0.85],
  ["CA", "CAD", 1.5],
  ["BR", "BRL", 5.8],
] as const;
const offers = ["offer_118", "offer_204", "offer_307", "offer_412"];
const campaigns = ["spring-push", "welcome-bonus", "live-tables", "brand-search", "newsletter-14"];
const placements = ["top-list", "review", "banner-728", "push", "footer"];
const plans = [
  ["starter", "29.00"],
  ["team", "99.00"],
  ["business", "349.00"],
] as const;
const partings = ["too_expensive", "missing_feature", "no_longer_needed"];

/**
 * Makes events as an iGaming programme and a SaaS company would: players register, deposit, qualify and
 * convert; customers sign up, pay and leave. What belongs to one person carries the same ids.
 */
export function createEventSource(options: {
  seed: number;
  /** Keys of the affiliates that bring players, and of those that are customers. */
  players: readonly string[];
  customers: readonly string[];
}): EventSource {
  const random = createRandom(options.seed);
  const journeys: Journey[] = [];

  const takeJourney = (): Journey => {
    if (journeys.length > 0 && (journeys.length >= openJourneys || random.chance(0.65))) {
      return random.pick(journeys);
    }
    const started = random.chance(0.75)
      ? startPlayer(random.pick(options.players), random)
      : startCustomer(random.pick(options.customers), random);
    journeys.push(started);
    return started;
  };

  return {
    next: (at) => {
      const journey = takeJourney();
      const type = journey.steps.shift() as string;
      if (journey.steps.length === 0) journeys.splice(journeys.indexOf(journey), 1);
      const data = journey.isPlayer ? playerData(journey, type, random) : customerData(journey, type, random);
      return { type, affiliate: journey.affiliate, data: { ...data, occurred_at: at.toISOString() } };
    },
  };
}

function startPlayer(affiliate: string, random: Random): Journey {
  const [country, currency, rate] = random.pick(markets);
  const steps = ["registration"];
  if (random.chance(0.6)) {
    steps.push("ftd", ...Array.from({ length: random.below(3) }, () => "deposit"));
    if (random.chance(0.7))
      steps.push("qualified", random.chance(0.85) ? "conversion.approved" : "conversion.declined");
    if (steps.at(-1) === "conversion.approved" && random.chance(0.08)) steps.push("conversion.reversed");
  }
  const facts = {
    // Some came on their own, without a click that anybody could be told about.
    click_id: random.chance(0.04) ? "" : random.id("clk"),
    offer_id: random.pick(offers),
    campaign_id: random.pick(campaigns),
    country,
    currency,
    sub1: random.pick(placements),
    sub2: `kw-${10 + random.below(90)}`,
    // Not sent: what amounts are made with.
    rate,
    deposits: 0,
  };
  return { affiliate, steps, facts, isPlayer: true };
}

function playerData({ facts }: Journey, type: string, random: Random): Facts {
  const { rate, deposits, conversion_id, payout, ...common } = facts;
  if (type === "registration") return common;
  if (type === "ftd" || type === "deposit") {
    const number = Number(deposits) + 1;
    facts.deposits = number;
    const amount = random.money(10 * Number(rate), 250 * Number(rate));
    const deposit = { ...common, transaction_id: random.id("txn"), amount };
    return type === "ftd" ? deposit : { ...deposit, deposit_number: number };
  }
  facts.conversion_id = conversion_id ?? random.id("cnv");
  facts.payout = payout ?? random.money(25, 180);
  const status = type === "qualified" ? "pending" : type.slice("conversion.".length);
  return { ...common, conversion_id: facts.conversion_id, payout: facts.payout, status, goal: "cpa" };
}

function startCustomer(affiliate: string, random: Random): Journey {
  const [plan, amount] = random.pick(plans);
  const steps = ["user.created"];
  if (random.chance(0.8)) steps.push(...Array.from({ length: 1 + random.below(4) }, () => "invoice.paid"));
  if (random.chance(0.3)) steps.push("subscription.canceled");
  return { affiliate, steps, facts: { user_id: random.id("usr"), plan, amount }, isPlayer: false };
}

function customerData({ facts }: Journey, type: string, random: Random): Facts {
  const { amount = "", ...common } = facts;
  if (type === "invoice.paid") return { ...common, invoice_id: random.id("inv"), amount, currency: "EUR" };
  return type === "user.created" ? common : { ...common, reason: random.pick(partings) };
}

type Random = ReturnType<typeof createRandom>;

function createRandom(seed: number) {
  const next = mulberry32(seed);
  const below = (limit: number) => Math.floor(next() * limit);
  return {
    below,
    chance: (probability: number) => next() < probability,
    pick: <T>(items: readonly T[]): T => items[below(items.length)] as T,
    id: (prefix: string) =>
      `${prefix}_${below(2 ** 48)
        .toString(36)
        .padStart(10, "0")}`,
    money: (lowest: number, highest: number) => (lowest + next() * (highest - lowest)).toFixed(2),
  };
}

/** A small generator of numbers in [0, 1) that a seed decides. */
export function mulberry32(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}
