import { createSecretKey, randomBytes } from "node:crypto";
import { performance } from "node:perf_hooks";
import { setTimeout as sleep } from "node:timers/promises";
import type pg from "pg";
import { Pool } from "undici";
import { v7 as uuidv7 } from "uuid";
import { webhookBody, webhookHeaders } from "#lib/delivery/request.ts";
import { signWebhook } from "#lib/delivery/signature.ts";
import { fanOut, fanOutBatchSize } from "#lib/queue/fan-out.ts";
import { createSearchHasher } from "#lib/search/hash.ts";
import { generateSigningSecret } from "#lib/secrets.ts";
import { allSettled, quantile, sampleData, type World } from "./world.ts";

const atOnce = 128;
const rounds = 3;
/** Come first in every run and are not measured: after them code is compiled, and plans are made. */
const warmUp = 8_000;

/** Events or deliveries a second, and microseconds of CPU for each. */
export type Stage = { per_s: number; cpu_us: { database: number; receiver: number; worker: number } };
export type Throughput = {
  bare_undici_per_s: number;
  /** Accepted events -> deliveries. */
  fan_out: Stage;
  /** Due deliveries -> gated, claimed, signed, sent, classified, settled. */
  deliver: Stage;
  /** Both at once, from accepted events on. */
  whole: Stage;
  deliver_ratio: number;
  whole_ratio: number;
};

/**
 * What one worker carries beside bare undici, which signs and sends the same requests without a database. The speed of
 * a shared machine drifts, so they take turns, and the medians of the rounds count. CPU time drifts less.
 */
export async function measureThroughput(
  world: World,
  { events, endpoints }: { events: number; endpoints: number },
): Promise<Throughput> {
  const affiliates: string[] = [];
  for (let i = 0; i < endpoints; i++) affiliates.push(await world.addEndpoint(`/hook/${i}`));
  const hashValue = createSearchHasher(randomBytes(32));
  const measured = {
    bare: [] as number[],
    fanOut: [] as Stage[],
    deliver: [] as Stage[],
    whole: [] as Stage[],
  };

  for (let round = 0; round < rounds; round++) {
    measured.bare.push(await bareUndici(world.origin, { requests: events, endpoints }));
    await publishMany(world, { events: events + warmUp, affiliates });
    measured.fanOut.push(
      await measure(world, {
        count: async () => events + warmUp,
        run: async () => {
          while ((await fanOut(world.pool, { hashValue })) === fanOutBatchSize);
        },
      }),
    );
    measured.deliver.push(await work(world));
    await publishMany(world, { events: events + warmUp, affiliates });
    measured.whole.push(await work(world));
  }

  await allDeliveredAtOnce(world, 2 * rounds * (events + warmUp));
  const ratioOf = (stages: Stage[]) =>
    Number(median(stages.map(({ per_s }, round) => per_s / (measured.bare[round] as number))).toFixed(3));
  return {
    bare_undici_per_s: Math.round(median(measured.bare)),
    fan_out: medianOf(measured.fanOut),
    deliver: medianOf(measured.deliver),
    whole: medianOf(measured.whole),
    deliver_ratio: ratioOf(measured.deliver),
    whole_ratio: ratioOf(measured.whole),
  };
}

const median = (values: readonly number[]) => quantile(values, 0.5);

/** Each figure's own median. */
export function medianOf(stages: readonly Stage[]): Stage {
  const of = (value: (stage: Stage) => number) => median(stages.map(value));
  return {
    per_s: of((stage) => stage.per_s),
    cpu_us: {
      database: of(({ cpu_us }) => cpu_us.database),
      receiver: of(({ cpu_us }) => cpu_us.receiver),
      worker: of(({ cpu_us }) => cpu_us.worker),
    },
  };
}

/** The same requests, signed one by one, sent as a program without a queue would send them. */
async function bareUndici(
  origin: string,
  { requests, endpoints }: { requests: number; endpoints: number },
): Promise<number> {
  const pool = new Pool(origin, { connections: atOnce, allowH2: false });
  const keys = [createSecretKey(generateSigningSecret())];
  let left = requests + warmUp;
  let start = 0;
  await Promise.all(
    Array.from({ length: atOnce }, async () => {
      while (left-- > 0) {
        if (left === requests) start = performance.now();
        const id = uuidv7();
        const data = sampleData(left);
        const body = webhookBody({ id, type: "conversion.approved", occurredAt: new Date(), data });
        const timestampSeconds = Math.floor(Date.now() / 1_000);
        const signature = signWebhook({ id, timestampSeconds, body }, keys);
        const headers = webhookHeaders({ eventId: id, timestampSeconds, signature, attemptNumber: 1 });
        const path = `/hook/${left % endpoints}`;
        const response = await pool.request({ path, method: "POST", headers, body });
        await response.body.text();
      }
    }),
  );
  const perSecond = requests / ((performance.now() - start) / 1_000);
  await pool.close();
  return perSecond;
}

export async function publishMany(
  world: World,
  { events, affiliates }: { events: number; affiliates: string[] },
): Promise<void> {
  for (let from = 0; from < events; from += 500) {
    await world.publish(
      Array.from({ length: Math.min(500, events - from) }, (_, i) => ({
        id: null,
        affiliate: affiliates[(from + i) % affiliates.length] as string,
        data: sampleData(from + i),
      })),
    );
  }
}

/** One worker, from when it is warm to the last settlement. */
export async function work(world: World): Promise<Stage> {
  const worker = await world.startWorker();
  const before = await settled(world.pool);
  while ((await settled(world.pool)) < before + warmUp) await sleep(10);
  const from = await settled(world.pool);
  const stage = await measure(world, {
    count: async () => (await settled(world.pool)) - from,
    run: () => allSettled(world.pool),
    workerCpuSeconds: worker.cpuSeconds,
  });
  await worker.stop();
  return stage;
}

/** As the workers count them: a few rows to read. */
async function settled(pool: pg.Pool): Promise<number> {
  const { rows } = await pool.query<{ n: number }>(
    "select coalesce(sum(delivered), 0)::int as n from posthorn.delivery_minutes",
  );
  return rows[0]?.n ?? 0;
}

async function measure(
  world: World,
  options: {
    run: () => Promise<void>;
    /** How many it was, asked afterwards. */
    count: () => Promise<number>;
    workerCpuSeconds?: () => Promise<number>;
  },
): Promise<Stage> {
  const { run, workerCpuSeconds = async () => process.cpuUsage().user / 1e6 } = options;
  const [before, workerBefore] = [await world.cpuSeconds(), await workerCpuSeconds()];
  const start = performance.now();
  await run();
  const seconds = (performance.now() - start) / 1_000;
  const [after, workerAfter] = [await world.cpuSeconds(), await workerCpuSeconds()];
  const count = await options.count();
  const micros = (used: number) => Math.round((used / count) * 1e6);
  return {
    per_s: Math.round(count / seconds),
    cpu_us: {
      database: micros(after.database - before.database),
      receiver: micros(after.receiver - before.receiver),
      worker: micros(workerAfter - workerBefore),
    },
  };
}

async function allDeliveredAtOnce({ pool }: World, expected: number): Promise<void> {
  const { rows } = await pool.query<{ n: string }>(
    "select count(*) as n from posthorn.deliveries where state = 'delivered' and attempt_number = 1",
  );
  if (Number(rows[0]?.n) !== expected)
    throw new Error(`expected ${expected} deliveries at their first attempt, found ${rows[0]?.n}`);
}
