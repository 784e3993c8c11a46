import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import path from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { createDatabase, type Database } from "#lib/db/database.ts";
import { publishEvents } from "#lib/queue/publish.ts";
import { createEndpoint, testSecretKey } from "#test/helpers/factories.ts";
import { type OwnPostgres, startOwnPostgres } from "#test/helpers/own-postgres.ts";
import { type Crew, createCrew } from "./crew.ts";
import { createRandom, type Disturbance, makePlan, type Random, type Step } from "./plan.ts";
import type { Received } from "./receiver.ts";
import { type Down, type Findings, verify } from "./verify.ts";

export type ChaosOptions = {
  seed: number;
  events: number;
  kills: number;
  restarts: number;
  workers: number;
  /** Steps of the plan for each disturbance, at least. */
  spread: number;
  /** Everything must be delivered so long after the last event was published. */
  settleWithinSeconds: number;
  say: (text: string) => void;
};

const affiliates = 20;
const slots = 32;
const batchSize = 500;
/** Events about one conversion. */
const conversionSize = 4;

type End = () => Promise<unknown>;
/** How each part of what is running is ended. */
type Ends = { add: (end: End) => void; run: () => Promise<void> };

/**
 * Publishes to a system whose workers and database are killed meanwhile, waits until everything is delivered,
 * and holds what the receiver saw against what the database says. Whatever happens, nothing is left behind.
 */
export async function runChaos(options: ChaosOptions, interrupted: Promise<never>): Promise<Findings> {
  const ends = createEnds();
  try {
    return await Promise.race([play(options, ends), interrupted]);
  } finally {
    await ends.run();
  }
}

/** The last is ended first. What is started in spite of the end is ended too, and its starter stopped by an error. */
function createEnds(): Ends {
  const ends: End[] = [];
  let isOver = false;
  return {
    add: (end) => {
      if (!isOver) return void ends.push(end);
      void end();
      throw new Error("it is over");
    },
    run: async () => {
      isOver = true;
      for (let end = ends.pop(); end; end = ends.pop()) await end();
    },
  };
}

async function play(options: ChaosOptions, ends: Ends): Promise<Findings> {
  const { seed, say } = options;
  const random = createRandom(seed);
  say("starting PostgreSQL, the receiver and the workers");
  const starting = startOwnPostgres();
  ends.add(async () => (await starting.catch(() => null))?.end());
  const postgres = await starting;
  const receiver = fork(path.join(import.meta.dirname, "receiver.ts"), [String(seed)]);
  ends.add(() => endChild(receiver));
  const { port } = await answerOf<{ port: number }>(receiver);
  const database = createDatabase({
    url: postgres.url,
    maxConnections: 4,
    applicationName: "posthorn-chaos",
    statementTimeoutMs: 30_000,
    onError: () => undefined,
  });
  ends.add(() => database.pool.end());
  const keys = await makeEndpoints(database, `http://127.0.0.1:${port}`);
  const crew = createCrew({
    size: options.workers,
    slots,
    databaseUrl: postgres.url,
    secretKey: testSecretKey,
    random,
  });
  ends.add(crew.end);
  await crew.start();

  const downs: Down[] = [];
  const accepted = new Set<string>();
  const disturb = createDisturber({ crew, postgres, database, downs, say });
  const underWay: Promise<void>[] = [];
  const failure = Promise.withResolvers<never>();
  for (const step of makePlan({ ...options, random })) {
    await publishStep({ database, step, keys, accepted, random });
    for (const { kind, afterMs } of step.disturbances) {
      const disturbance = sleep(afterMs).then(() => disturb(kind));
      disturbance.catch(failure.reject);
      underWay.push(disturbance);
    }
    await Promise.race([sleep(step.pauseMs), failure.promise]);
  }
  say(`${accepted.size} events are published`);
  await Promise.race([Promise.all(underWay), failure.promise]);
  await untilFinished(database, options.settleWithinSeconds);
  await crew.dismiss();
  receiver.send("log");
  const { log } = await answerOf<{ log: Received[] }>(receiver);
  const findings = await verify(database.pool, { accepted, log, downs });
  return { ...findings, disagreements: [...crew.fallen(), ...findings.disagreements] };
}

/** Webhooks and postbacks in turn; the latter keep the order of their conversions. */
async function makeEndpoints({ pool }: Database, origin: string): Promise<string[]> {
  const keys: string[] = [];
  for (let i = 0; i < affiliates; i++) {
    const endpoint = await createEndpoint(pool, {
      ...(i % 2 === 0
        ? { url: `${origin}/hook/${i}` }
        : {
            url: `${origin}/hook/${i}?n={sub1}&c={conversion_id}`,
            postback: {},
            ordering: "per_key",
            eventTypes: ["conversion.approved"],
          }),
      timeoutMs: 15_000,
      maxAttempts: 30,
      baseSeconds: 1,
    });
    keys.push(endpoint.affiliateKey);
  }
  return keys;
}

/** Publishes until the database acknowledged every event: what it took before it went away is a duplicate then. */
async function publishStep(options: {
  database: Database;
  step: Step;
  keys: string[];
  accepted: Set<string>;
  random: Random;
}): Promise<void> {
  const { database, step, keys, accepted, random } = options;
  const items = Array.from({ length: step.events }, (_, i) => ({
    id: `chaos_${accepted.size + i}`,
    type: "conversion.approved",
    affiliate: keys[Math.floor(random() * keys.length)] as string,
    occurredAt: "2026-01-01T00:00:00Z",
    orderingKey: null,
    data: Buffer.from(
      `{"sub1":"${accepted.size + i}","conversion_id":"cnv_${Math.floor((accepted.size + i) / conversionSize)}"}`,
    ),
  }));
  for (let from = 0; from < items.length; from += batchSize) {
    const batch = items.slice(from, from + batchSize);
    const results = await untilDatabaseAnswers(() => publishEvents(database.pool, batch));
    const refused = results.find(({ outcome }) => outcome !== "accepted" && outcome !== "duplicate");
    if (refused) throw new Error(`event ${refused.id} was refused: ${refused.outcome}`);
    for (const { id } of results) accepted.add(id);
  }
}

function createDisturber(options: {
  crew: Crew;
  postgres: OwnPostgres;
  database: Database;
  downs: Down[];
  say: (text: string) => void;
}): (kind: Disturbance) => Promise<void> {
  const { crew, postgres, database, downs, say } = options;
  const heldBy = async (workerId: string) => {
    const { rows } = await untilDatabaseAnswers(() =>
      database.pool.query<{ id: string }>(
        "select event_id as id from posthorn.deliveries where state = 'in_flight' and leased_by = $1",
        [workerId],
      ),
    );
    return rows.map(({ id }) => id);
  };
  const watch = {
    isBusy: async (workerId: string) => (await heldBy(workerId)).length > 0,
    onDown: async (workerId: string) => {
      const eventIds = await heldBy(workerId);
      say(`worker ${workerId} is down with ${eventIds.length} in flight`);
      downs.push({ workerId, eventIds });
    },
  };
  return (kind) => {
    if (kind === "kill") return crew.kill(watch);
    if (kind === "stop") return crew.stop(watch);
    const shutdown = kind === "restart_fast" ? "fast" : "immediate";
    say(`PostgreSQL is restarted (${shutdown})`);
    return postgres.restart(shutdown).then(() => say("PostgreSQL is back"));
  };
}

async function untilDatabaseAnswers<T>(ask: () => Promise<T>): Promise<T> {
  for (const deadline = performance.now() + 120_000; ; await sleep(50)) {
    try {
      return await ask();
    } catch (error) {
      if (performance.now() > deadline) throw error;
    }
  }
}

async function untilFinished({ pool }: Database, withinSeconds: number): Promise<void> {
  const deadline = performance.now() + withinSeconds * 1_000;
  for (;;) {
    const { rows } = await pool.query<{ outbox: string; unfinished: string }>(
      `select (select count(*) from posthorn.event_outbox) as outbox,
        (select count(*) from posthorn.deliveries where state in ('pending', 'failed', 'in_flight')) as unfinished`,
    );
    const { outbox, unfinished } = rows[0] as { outbox: string; unfinished: string };
    if (outbox === "0" && unfinished === "0") return;
    if (performance.now() > deadline) {
      throw new Error(
        `after ${withinSeconds} s, ${outbox} are not fanned out and ${unfinished} not finished`,
      );
    }
    await sleep(100);
  }
}

async function answerOf<T>(child: ChildProcess): Promise<T> {
  const [message] = await once(child, "message");
  return message as T;
}

async function endChild(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const ended = once(child, "exit");
  child.kill("SIGKILL");
  await ended;
}
