import { parseArgs } from "node:util";
import { stopsFor } from "./plan.ts";
import { runChaos } from "./run.ts";

/**
 * Nothing is lost, and no more is repeated than was in flight, while workers are killed and stopped and the
 * database is restarted. `--seed` repeats the choices of an earlier run; the rest of the chaos is real.
 */
const { values: flags } = parseArgs({
  options: {
    full: { type: "boolean", default: false },
    json: { type: "boolean", default: false },
    seed: { type: "string" },
    events: { type: "string" },
    kills: { type: "string" },
    restarts: { type: "string" },
  },
});
const usual = flags.full
  ? { events: 20_000, kills: 50, restarts: 3, workers: 4, spread: 20 }
  : { events: 2_000, kills: 5, restarts: 1, workers: 3, spread: 15 };
const options = {
  ...usual,
  seed: Number(flags.seed ?? Date.now() % 1_000_000),
  events: Number(flags.events ?? usual.events),
  kills: Number(flags.kills ?? usual.kills),
  restarts: Number(flags.restarts ?? usual.restarts),
};

const startedAt = performance.now();
const seconds = () => Math.round((performance.now() - startedAt) / 100) / 10;
const say = (text: string) =>
  void (flags.json || process.stdout.write(`${seconds().toFixed(1).padStart(6)} s  ${text}\n`));

const interrupted = new Promise<never>((_, reject) => {
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) {
    process.once(signal, () => reject(new Error(`ended by ${signal}`)));
  }
});

try {
  const { seed, kills, restarts } = options;
  const planned = { seed, kills, stops: stopsFor(kills), restarts };
  const findings = await runChaos({ ...options, settleWithinSeconds: 180, say }, interrupted);
  const { disagreements } = findings;
  if (flags.json)
    process.stdout.write(`${JSON.stringify({ ...planned, ...findings, seconds: seconds() })}\n`);
  else print({ ...planned, ...findings });
  process.exitCode = disagreements.length === 0 ? 0 : 1;
} catch (error) {
  process.stderr.write(`${(error as Error).stack}\nseed ${options.seed}\n`);
  process.exitCode = 1;
}
process.exit();

function print({ disagreements, ...figures }: Record<string, unknown> & { disagreements: string[] }): void {
  for (const [name, value] of Object.entries(figures)) process.stdout.write(`${name.padEnd(26)} ${value}\n`);
  for (const disagreement of disagreements) process.stdout.write(`WRONG: ${disagreement}\n`);
}
