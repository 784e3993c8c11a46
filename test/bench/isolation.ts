import { setTimeout as sleep } from "node:timers/promises";
import { type Latency, measureLatency } from "./latency.ts";
import { sampleData, type World } from "./world.ts";

export type Isolation = { idle: Latency; beside_hanging: Latency };

const hangingDue = 10_000;

/** What 50 healthy endpoints notice of one that never answers and has 10,000 deliveries due. */
export async function measureIsolation(world: World): Promise<Isolation> {
  const healthy: string[] = [];
  for (let i = 0; i < 50; i++) healthy.push(await world.addEndpoint(`/healthy/${i}`));
  const hanging = await world.addEndpoint("/hang");
  const load = { affiliates: healthy, perSecond: 200, seconds: 5 };

  const worker = await world.startWorker();
  await measureLatency(world, { ...load, seconds: 1 });
  const idle = await measureLatency(world, load);
  for (let from = 0; from < hangingDue; from += 500) {
    await world.publish(
      Array.from({ length: 500 }, (_, i) => ({ id: null, affiliate: hanging, data: sampleData(from + i) })),
    );
  }
  await onTheWire(world);
  const besideHanging = await measureLatency(world, load);
  // It would wait for the hanging requests to time out.
  await worker.stop("SIGKILL");
  return { idle, beside_hanging: besideHanging };
}

/** Until all of the backlog is fanned out and its endpoint hangs. */
async function onTheWire({ pool }: World): Promise<void> {
  for (let i = 0; i < 300; i++) {
    const { rows } = await pool.query<{ ready: boolean }>(
      `select not exists (select from posthorn.event_outbox)
        and exists (select from posthorn.deliveries where state = 'in_flight') as ready`,
    );
    if (rows[0]?.ready) return;
    await sleep(100);
  }
  throw new Error("the hanging endpoint's backlog was not taken");
}
