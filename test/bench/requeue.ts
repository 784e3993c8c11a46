import { setTimeout as sleep } from "node:timers/promises";
import { type Latency, measureLatency } from "./latency.ts";
import type { World } from "./world.ts";

export type RequeueCost = {
  idle: Latency;
  beside_requeue: Latency;
  /** Put back while the healthy were measured, and in all. */
  put_back: number;
  requeued: number;
};

const count = 50_000;

/** What 50 healthy endpoints notice of 50,000 dead letters of another one that are put back as fast as that goes. */
export async function measureRequeue(world: World): Promise<RequeueCost> {
  const healthy: string[] = [];
  for (let i = 0; i < 50; i++) healthy.push(await world.addEndpoint(`/healthy/${i}`));
  const affiliate = await world.addEndpoint("/requeued");
  const load = { affiliates: healthy, perSecond: 200, seconds: 8 };

  const worker = await world.startWorker();
  await measureLatency(world, { ...load, seconds: 1 });
  const idle = await measureLatency(world, load);
  await makeDeadLetters(world, affiliate);
  await world.pool.query(
    `insert into posthorn.requeues (id, operation, mode, filter, as_of, last_id, reason, actor_kind, actor_name, total)
     select gen_random_uuid(), 'requeue', 'same_url', '{}', now(), max(id), 'bench', 'system', 'bench', count(*)
     from posthorn.deliveries where state = 'dead_letter'`,
  );
  const besideRequeue = await measureLatency(world, load);
  const { rows } = await world.pool.query<{ done: number }>("select done from posthorn.requeues");
  await worker.stop("SIGKILL");
  return { idle, beside_requeue: besideRequeue, put_back: rows[0]?.done ?? 0, requeued: count };
}

async function makeDeadLetters({ pool }: World, affiliate: string): Promise<void> {
  await pool.query(
    `with made as (
       select 'dead-' || n as id, date_trunc('milliseconds', now() - interval '1 hour') as at, e.affiliate_id, e.id as endpoint_id
       from generate_series(1, $1::int) n, posthorn.endpoints e join posthorn.affiliates a on a.id = e.affiliate_id where a.key = $2
     ), body as (
       insert into posthorn.event_bodies (event_id, received_at, type, occurred_at, data)
       select id, at, 'conversion.approved', at, '{"click_id":"c-1"}' from made
     )
     insert into posthorn.deliveries (event_id, event_received_at, event_type, affiliate_id, endpoint_id, state, reason, ended_at)
     select id, at, 'conversion.approved', affiliate_id, endpoint_id, 'dead_letter', 'server_error', at from made`,
    [count, affiliate],
  );
  await sleep(500);
}
