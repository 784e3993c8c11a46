import { parseArgs } from "node:util";
import { measureIsolation } from "./isolation.ts";
import { type Latency, measureLatency } from "./latency.ts";
import { measurePostbacks } from "./postbacks.ts";
import { measureRequeue } from "./requeue.ts";
import { measureThroughput } from "./throughput.ts";
import { createWorld, type World } from "./world.ts";

/**
 * Five tables, each with a database, a receiver and workers of its own: what one worker carries beside bare undici,
 * how soon an event is on the wire at a steady rate, what the healthy notice of the sick and of a requeue, and what rendering costs.
 */
const { values: flags } = parseArgs({
  options: {
    json: { type: "boolean", default: false },
    only: { type: "string" },
    events: { type: "string", default: "25000" },
    endpoints: { type: "string", default: "200" },
  },
});

const tables = {
  throughput: (world: World) =>
    measureThroughput(world, { events: Number(flags.events), endpoints: Number(flags.endpoints) }),
  latency: async (world: World) => {
    const affiliates: string[] = [];
    for (let i = 0; i < 50; i++) affiliates.push(await world.addEndpoint(`/hook/${i}`));
    const worker = await world.startWorker();
    await measureLatency(world, { affiliates, perSecond: 500, seconds: 2 });
    const latency = await measureLatency(world, { affiliates, perSecond: 500, seconds: 10 });
    await worker.stop();
    return latency;
  },
  isolation: measureIsolation,
  requeue: measureRequeue,
  postbacks: (world: World) =>
    measurePostbacks(world, { events: Number(flags.events), endpoints: Number(flags.endpoints) }),
};
type Results = { [Name in keyof typeof tables]: Awaited<ReturnType<(typeof tables)[Name]>> };

const results: Partial<Results> = {};
for (const [name, measure] of Object.entries(tables)) {
  if (flags.only && flags.only !== name) continue;
  if (!flags.json) process.stdout.write(`measuring ${name}\n`);
  const world = await createWorld();
  try {
    Object.assign(results, { [name]: await measure(world) });
  } finally {
    await world.close();
  }
}
if (Object.values(results.requeue ?? {}).some((cost) => !cost.within_limit)) process.exitCode = 1;
process.stdout.write(flags.json ? `${JSON.stringify(results)}\n` : `\n${inWords(results)}\n`);

function inWords({ throughput, latency, isolation, requeue, postbacks }: Partial<Results>): string {
  const lines: string[] = [];
  if (throughput) {
    const { bare_undici_per_s, fan_out, deliver, whole, deliver_ratio, whole_ratio } = throughput;
    lines.push(
      row("throughput", "per s", "of bare", "CPU us: worker", "database", "receiver"),
      row("bare undici, signed", bare_undici_per_s, 1, "", "", ""),
      ...(
        [
          ["claim to settle", deliver, deliver_ratio],
          ["with the fan-out", whole, whole_ratio],
          ["fan-out alone", fan_out, ""],
        ] as const
      ).map(([name, { per_s, cpu_us }, part]) =>
        row(name, per_s, part, cpu_us.worker, cpu_us.database, cpu_us.receiver),
      ),
      "",
    );
  }
  const timing = (name: string, { p50_ms, p95_ms, p99_ms }: Latency) => row(name, p50_ms, p95_ms, p99_ms);
  if (latency) {
    lines.push(row("publish to first byte, ms", "p50", "p95", "p99"), timing("500 events/s", latency), "");
  }
  if (isolation) {
    lines.push(
      row("50 healthy endpoints, ms", "p50", "p95", "p99"),
      timing("alone", isolation.idle),
      timing("beside one that hangs", isolation.beside_hanging),
      "",
    );
  }
  if (requeue) {
    lines.push(row("50 healthy endpoints, ms", "p50", "p95", "p99", "p95 at most", "put back"));
    for (const kind of ["webhooks", "keyed_postbacks"] as const) {
      const { idle, beside_requeue: beside, limit_ms, put_back, within_limit } = requeue[kind];
      const words = kind.replace("_", " ");
      lines.push(
        timing(`alone, before ${words}`, idle),
        timing("beside their requeue", beside) +
          [limit_ms, put_back].map((cell) => String(cell).padStart(16)).join("") +
          (within_limit ? "" : "  too slow"),
      );
    }
    lines.push("");
  }
  if (postbacks) {
    lines.push(
      row("the whole pipeline", "per s", "of webhooks", "CPU us: worker", "database", "receiver"),
      ...(["webhooks", "postbacks"] as const).map((kind) => {
        const { per_s, cpu_us } = postbacks[kind];
        const part = kind === "webhooks" ? 1 : postbacks.ratio;
        return row(kind, per_s, part, cpu_us.worker, cpu_us.database, cpu_us.receiver);
      }),
      "",
    );
  }
  return lines.join("\n");
}

function row(name: string, ...cells: (string | number)[]): string {
  return name.padEnd(28) + cells.map((cell) => String(cell).padStart(16)).join("");
}
