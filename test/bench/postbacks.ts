import { publishMany, type Stage, work } from "./throughput.ts";
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
      stages[kind].push(await work(world, events));
    }
  }
  const [webhooks, postbacks] = [meanOf(stages.webhooks), meanOf(stages.postbacks)];
  return { webhooks, postbacks, ratio: Number((postbacks.per_s / webhooks.per_s).toFixed(3)) };
}

const template =
  "?cid={click_id}&payout={payout}&cur={currency}&goal={goal|none}&geo={country:lower}&txid={conversion_id}";

function meanOf(stages: Stage[]): Stage {
  const mean = (value: (stage: Stage) => number) =>
    Math.round(stages.reduce((sum, stage) => sum + value(stage), 0) / stages.length);
  return {
    per_s: mean((stage) => stage.per_s),
    cpu_us: {
      database: mean(({ cpu_us }) => cpu_us.database),
      receiver: mean(({ cpu_us }) => cpu_us.receiver),
      worker: mean(({ cpu_us }) => cpu_us.worker),
    },
  };
}
