import { createSecretKey, randomBytes } from "node:crypto";
import { performance } from "node:perf_hooks";
import { Pool } from "undici";
import { v7 as uuidv7 } from "uuid";
import { webhookBody, webhookHeaders } from "#lib/delivery/request.ts";
import { signWebhook } from "#lib/delivery/signature.ts";
import { fanOut, fanOutBatchSize } from "#lib/queue/fan-out.ts";
import { createSearchHasher } from "#lib/search/hash.ts";
import { generateSigningSecret } from "#lib/secrets.ts";
import { allSettled, sampleData, type World } from "./world.ts";

const bareRequests = 40_000;
const atOnce = 128;

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
 * What one worker carries beside bare undici, which signs and sends the same requests without a database: before,
 * between and after, since the speed of a shared machine drifts. CPU time drifts less.
 */
export async function measureThroughput(
  world: World,
  { events, endpoints }: { events: number; endpoints: number },
): Promise<Throughput> {
  const affiliates: string[] = [];
  for (let i = 0; i < endpoints; i++) affiliates.push(await world.addEndpoint(`/hook/${i}`));
  const bare = [await bareUndici(world.origin, endpoints)];

  await publishMany(world, { events, affiliates });
  const hashValue = createSearchHasher(randomBytes(32));
  const fanned = await measure(world, events, async () => {
    while ((await fanOut(world.pool, { hashValue })) === fanOutBatchSize);
  });
  const delivered = await work(world, events);
  bare.push(await bareUndici(world.origin, endpoints));

  await publishMany(world, { events, affiliates });
  const whole = await work(world, events);
  bare.push(await bareUndici(world.origin, endpoints));

  await allDeliveredAtOnce(world, 2 * events);
  const barePerSecond = bare.reduce((sum, rate) => sum + rate) / bare.length;
  return {
    bare_undici_per_s: Math.round(barePerSecond),
    fan_out: fanned,
    deliver: delivered,
    whole,
    deliver_ratio: ratio(delivered.per_s, barePerSecond),
    whole_ratio: ratio(whole.per_s, barePerSecond),
  };
}

const ratio = (a: number, b: number) => Number((a / b).toFixed(3));

/** The same requests, signed one by one, sent as a program without a queue would send them. */
async function bareUndici(origin: string, endpoints: number): Promise<number> {
  const pool = new Pool(origin, { connections: atOnce, allowH2: false });
  const keys = [createSecretKey(generateSigningSecret())];
  let left = bareRequests;
  const start = performance.now();
  await Promise.all(
    Array.from({ length: atOnce }, async () => {
      while (left-- > 0) {
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
  const perSecond = bareRequests / ((performance.now() - start) / 1_000);
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

/** One worker, from its start to the last settlement. */
export async function work(world: World, events: number): Promise<Stage> {
  const worker = await world.startWorker();
  const stage = await measure(world, events, () => allSettled(world.pool), worker.cpuSeconds);
  await worker.stop();
  return stage;
}

async function measure(
  world: World,
  count: number,
  run: () => Promise<void>,
  workerCpuSeconds: () => Promise<number> = async () => process.cpuUsage().user / 1e6,
): Promise<Stage> {
  const [before, workerBefore] = [await world.cpuSeconds(), await workerCpuSeconds()];
  const start = performance.now();
  await run();
  const seconds = (performance.now() - start) / 1_000;
  const [after, workerAfter] = [await world.cpuSeconds(), await workerCpuSeconds()];
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
