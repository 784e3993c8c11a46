import { setTimeout as sleep } from "node:timers/promises";
import { type Latency, measureLatency } from "./latency.ts";
import { allSettled, type World } from "./world.ts";

/** What the healthy notice of one requeue, and whether that is within the limit. */
export type RequeueCost = {
  idle: Latency;
  beside_requeue: Latency;
  /** The p95 beside it is to be at most this: twice the idle one, or 50 ms more. */
  limit_ms: number;
  within_limit: boolean;
  /** Put back while the healthy were measured, and in all. */
  put_back: number;
  requeued: number;
};

const count = 50_000;
const keys = 1_000;
const giveUpAfterMs = 180_000;

type Kind = "webhooks" | "keyed_postbacks";

/**
 * What 50 healthy endpoints notice of 50,000 dead letters of another one that are put back as fast as that goes: webhooks,
 * and postbacks with their frozen requests that are put back in the order of their keys. Each requeue must come to its end,
 * with every one of them delivered.
 */
export async function measureRequeue(world: World): Promise<Record<Kind, RequeueCost>> {
  const healthy: string[] = [];
  for (let i = 0; i < 50; i++) healthy.push(await world.addEndpoint(`/healthy/${i}`));
  const affiliates = {
    webhooks: await world.addEndpoint("/requeued"),
    keyed_postbacks: await world.addPostback("/requeued/keyed", "?cid={click_id}"),
  };
  await world.pool.query("update posthorn.endpoints set ordering = 'per_key' where kind = 'postback'");
  const load = { affiliates: healthy, perSecond: 200, seconds: 8 };
  const worker = await world.startWorker();
  const costs = {} as Record<Kind, RequeueCost>;
  for (const kind of ["webhooks", "keyed_postbacks"] as const) {
    await measureLatency(world, { ...load, seconds: 1 });
    const idle = await measureLatency(world, load);
    await makeDeadLetters(world, affiliates[kind]);
    const requeue = await startRequeue(world);
    const beside = await measureLatency(world, load);
    const { done } = await look(world, requeue);
    await seeItEnd(world, { requeue, affiliate: affiliates[kind] });
    const limitMs = Math.max(2 * idle.p95_ms, idle.p95_ms + 50);
    costs[kind] = {
      idle,
      beside_requeue: beside,
      limit_ms: Number(limitMs.toFixed(1)),
      within_limit: beside.p95_ms <= limitMs,
      put_back: done,
      requeued: count,
    };
  }
  await worker.stop("SIGKILL");
  return costs;
}

async function startRequeue({ pool }: World): Promise<string> {
  const { rows } = await pool.query<{ id: string }>(
    `insert into posthorn.requeues (id, operation, mode, filter, as_of, last_id, reason, actor_kind, actor_name, total)
     select gen_random_uuid(), 'requeue', 'same_url', '{}', now(), max(id), 'bench', 'system', 'bench', count(*)
     from posthorn.deliveries where state = 'dead_letter' returning id`,
  );
  return rows[0]?.id as string;
}

async function look({ pool }: World, requeue: string): Promise<{ state: string; done: number }> {
  const { rows } = await pool.query<{ state: string; done: number }>(
    "select state, done from posthorn.requeues where id = $1",
    [requeue],
  );
  return rows[0] as { state: string; done: number };
}

async function seeItEnd(world: World, given: { requeue: string; affiliate: string }): Promise<void> {
  for (const end = performance.now() + giveUpAfterMs; performance.now() < end; await sleep(100)) {
    if ((await look(world, given.requeue)).state !== "running") break;
  }
  const { state, done } = await look(world, given.requeue);
  if (state !== "completed" || done !== count)
    throw new Error(`the requeue is ${state} with ${done} put back`);
  await allSettled(world.pool);
  const { rows } = await world.pool.query<{ n: number }>(
    `select count(*)::int as n from posthorn.deliveries d join posthorn.affiliates a on a.id = d.affiliate_id
     where a.key = $1 and d.state = 'delivered'`,
    [given.affiliate],
  );
  if (rows[0]?.n !== count) throw new Error(`${rows[0]?.n} of what was put back were delivered`);
}

async function makeDeadLetters({ pool }: World, affiliate: string): Promise<void> {
  await pool.query(
    `with made as (
       select a.key || '-dead-' || n as id, date_trunc('milliseconds', now() - interval '1 hour') as at, n,
         e.affiliate_id, e.id as endpoint_id, e.kind, e.url
       from generate_series(1, $1::int) n, posthorn.endpoints e join posthorn.affiliates a on a.id = e.affiliate_id where a.key = $2
     ), body as (
       insert into posthorn.event_bodies (event_id, received_at, type, occurred_at, data)
       select id, at, 'conversion.approved', at, '{"click_id":"c-1"}' from made
     ), delivery as (
       insert into posthorn.deliveries (event_id, event_received_at, event_type, affiliate_id, endpoint_id, state, reason,
         ended_at, ordering_key)
       select id, at, 'conversion.approved', affiliate_id, endpoint_id, 'dead_letter', 'server_error', at,
         case when kind = 'postback' then 'key-' || n % ${keys} end
       from made order by n
       returning id, event_id, event_received_at
     )
     insert into posthorn.delivery_requests (delivery_id, received_at, method, url)
     select d.id, d.event_received_at, 'GET', replace(m.url, '{click_id}', 'c-1')
     from delivery d join made m on m.id = d.event_id where m.kind = 'postback'`,
    [count, affiliate],
  );
  await sleep(500);
}
