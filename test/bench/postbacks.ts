import { medianOf, publishMany, type Stage, work } from "./throughput.ts";
import type { World } from "./world.ts";

/** The whole pipeline, fan-out included, with webhooks and with postbacks that render and sign the same events. */
export type Postbacks = { webhooks: Stage; postbacks: Stage; ratio: number };

const rounds = 3;

/** In turns, since the speed of a shared machine drifts. */
export async function measurePostbacks(
  world: World,
  { events, endpoints }: { events: number; endpoints: number },
): Promise<Postbacks> {
  const kinds = { webhooks: [] as string[], postbacks: [] as string[] };
  for (let i = 0; i < endpoints; i++) {
    kinds.webhooks.push(await world.addEndpoint(`/hook/${i}`));
    kinds.postbacks.push(await world.addPostback(`/pb/${i}`, template));
  }
  const stages = { webhooks: [] as Stage[], postbacks: [] as Stage[] };
  for (let round = 0; round < rounds; round++) {
    for (const kind of ["webhooks", "postbacks"] as const) {
      await publishMany(world, { events, affiliates: kinds[kind] });
      stages[kind].push(await work(world));
    }
  }
  const [webhooks, postbacks] = [medianOf(stages.webhooks), medianOf(stages.postbacks)];
  return { webhooks, postbacks, ratio: Number((postbacks.per_s / webhooks.per_s).toFixed(3)) };
}

const template =
  "?cid={click_id}&payout={payout}&cur={currency}&goal={goal|none}&geo={country:lower}&txid={conversion_id}";
