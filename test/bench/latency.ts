import { performance } from "node:perf_hooks";
import { setTimeout as sleep } from "node:timers/promises";
import { v7 as uuidv7 } from "uuid";
import { wakeWorkers } from "#lib/queue/wake.ts";
import { quantile, sampleData, type World } from "./world.ts";

/** Milliseconds from the call that publishes to the receiver's first byte. */
export type Latency = { p50_ms: number; p95_ms: number; p99_ms: number; events: number };

/**
 * Publishes single events evenly in time, each with a call of its own as the API makes it, and asks the receiver
 * when it saw them. An event that did not come is a fault.
 */
export async function measureLatency(
  { pool, publish, tellReceiver, arrivals }: World,
  { affiliates, perSecond, seconds }: { affiliates: string[]; perSecond: number; seconds: number },
): Promise<Latency> {
  const published = new Map<string, bigint>();
  const calls: Promise<unknown>[] = [];
  const total = perSecond * seconds;
  tellReceiver("record");
  const start = performance.now();
  for (let i = 0; i < total; i++) {
    const waitMs = start + (i * 1_000) / perSecond - performance.now();
    if (waitMs > 0) await sleep(waitMs);
    const id = uuidv7();
    published.set(id, process.hrtime.bigint());
    const affiliate = affiliates[i % affiliates.length] as string;
    calls.push(publish([{ id, affiliate, data: sampleData(i) }]).then(() => wakeWorkers(pool, "events")));
  }
  await Promise.all(calls);
  await sleep(1_000);
  const arrived = await arrivals();
  const tookMs = [...published].map(([id, at]) => {
    const came = arrived.get(id);
    if (came === undefined) throw new Error(`event ${id} has not arrived`);
    return Number(came - at) / 1e6;
  });
  const at = (part: number) => Number(quantile(tookMs, part).toFixed(1));
  return { p50_ms: at(0.5), p95_ms: at(0.95), p99_ms: at(0.99), events: total };
}
