import { setTimeout as sleep } from "node:timers/promises";
import { parseArgs } from "node:util";
import pg from "pg";
import { createEventSource, type EventSource } from "./demo-events.ts";
import { pastWords, writeDemoHistory } from "./demo-history.ts";
import { type DemoReceiver, startDemoReceiver } from "./demo-receiver.ts";
import { type Api, createApi, type DemoMemory, readMemory, setUpWorld, writeMemory } from "./demo-setup.ts";
import { type DemoUser, demoAdmin, ensureDemoUsers } from "./demo-users.ts";
import {
  behaviourWords,
  demoCustomersAffiliates,
  demoEndpoints,
  demoHistoryAffiliates,
  demoPlayersAffiliates,
} from "./demo-world.ts";
import { startPosthorn } from "./start.ts";
import { StartError } from "./start-error.ts";
import { untilStopped } from "./terminal.ts";

const statusEveryMs = 30_000;
const maxBatch = 500;

await untilStopped(async (signal) => {
  const { rate, seed, receiverPort } = readArguments();
  const dataDir = process.env.POSTHORN_DATA_DIR || ".posthorn/demo";
  const memory = await readMemory(dataDir);
  const remember = () => writeMemory(dataDir, memory);
  const apiKey = process.env.POSTHORN_API_KEY || memory.apiKey;
  const secretOf = (path: string) => memory.endpoints[path]?.secret;
  const receiver = await startDemoReceiver({ port: receiverPort ?? memory.receiverPort, seed, secretOf });
  await remember();
  const env = {
    ...process.env,
    POSTHORN_DATA_DIR: dataDir,
    POSTHORN_API_KEY: apiKey,
    POSTHORN_ADMIN_EMAIL: demoAdmin.email,
    POSTHORN_ADMIN_PASSWORD: memory.password,
    POSTHORN_ALLOWED_SUBNETS: "127.0.0.0/8,::1/128",
    POSTHORN_ALLOW_HTTP: "true",
  };
  const posthorn = await startPosthorn({ env, mode: "start", signal });
  const stopping = new AbortController();
  const stop = async () => {
    stopping.abort();
    await posthorn.stop();
    await receiver.close();
  };
  try {
    const api = createApi(posthorn.url, apiKey);
    await setUpWorld({ api, receiver, memory, remember });
    const users = await ensureDemoUsers(posthorn.databaseUrl, memory.password);
    if (await writePast(posthorn.databaseUrl, memory)) console.log(pastWords);
    console.log(greeting({ url: posthorn.url, apiKey, receiver, rate, seed, users }));
    const source = createEventSource({
      seed,
      players: demoPlayersAffiliates.map(({ key }) => key),
      customers: demoCustomersAffiliates.map(({ key }) => key),
    });
    void publish({ api, source, rate, receiver, signal: stopping.signal });
  } catch (error) {
    await stop();
    throw error;
  }
  return { stop, done: posthorn.done };
});

/** Whether the past had to be written; it is when the demo starts for the first time. */
async function writePast(databaseUrl: string, { endpoints }: DemoMemory): Promise<boolean> {
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  try {
    return await writeDemoHistory(client, (path) => endpoints[path]?.id);
  } finally {
    await client.end();
  }
}

function readArguments(): { rate: number; seed: number; receiverPort: number | undefined } {
  const options = {
    rate: { type: "string" },
    seed: { type: "string" },
    "receiver-port": { type: "string" },
  } as const;
  let values: { rate?: string; seed?: string; "receiver-port"?: string };
  try {
    values = parseArgs({ options }).values;
  } catch (error) {
    throw new StartError(`${(error as Error).message}\nKnown are --rate, --seed and --receiver-port`);
  }
  const port = values["receiver-port"];
  return {
    rate: numberIn("--rate", values.rate ?? "5", [0.1, 1_000]),
    seed: numberIn("--seed", values.seed ?? "1", [0, 2 ** 32 - 1]),
    receiverPort: port === undefined ? undefined : numberIn("--receiver-port", port, [1, 65_535]),
  };
}

function numberIn(name: string, text: string, [lowest, highest]: [number, number]): number {
  const value = Number(text);
  const isWhole = name === "--rate" || Number.isInteger(value);
  if (text !== "" && isWhole && value >= lowest && value <= highest) return value;
  throw new StartError(
    `${name} must be a ${name === "--rate" ? "" : "whole "}number from ${lowest} to ${highest}`,
  );
}

/** Publishes at the rate until stopped. What could not be published while the API was away is not made up for. */
async function publish(options: {
  api: Api;
  source: EventSource;
  rate: number;
  receiver: DemoReceiver;
  signal: AbortSignal;
}): Promise<void> {
  const { api, source, rate, receiver, signal } = options;
  const pauseMs = Math.min(1_000, Math.max(100, 1_000 / rate));
  let published = 0;
  let owed = 0;
  let isAway = false;
  let lastAt = performance.now();
  let reportAt = lastAt + statusEveryMs;
  while (!signal.aborted) {
    await sleep(pauseMs, undefined, { signal }).catch(() => {});
    const now = performance.now();
    owed = Math.min(maxBatch, owed + ((now - lastAt) / 1_000) * rate);
    lastAt = now;
    const count = Math.floor(owed);
    if (count > 0 && !signal.aborted) {
      owed -= count;
      const events = Array.from({ length: count }, () => source.next(new Date()));
      try {
        await api.call("POST", "events", { body: count === 1 ? events[0] : events });
        published += count;
        isAway = false;
      } catch (error) {
        if (!isAway && !signal.aborted) console.error(`Publishing fails: ${(error as Error).message}`);
        isAway = true;
      }
    }
    if (now >= reportAt) {
      reportAt = now + statusEveryMs;
      console.log(status(published, receiver));
    }
  }
}

function status(published: number, { counts }: DemoReceiver): string {
  const { received, verified, refused } = counts;
  const requests = `${received} requests received, ${verified} verified, ${refused} with a wrong signature`;
  return `${published} events published; ${requests}`;
}

function greeting(world: {
  url: string;
  apiKey: string;
  receiver: DemoReceiver;
  rate: number;
  seed: number;
  users: DemoUser[];
}): string {
  const { url, apiKey, receiver, rate, seed, users } = world;
  const names = new Map(
    [...demoPlayersAffiliates, ...demoCustomersAffiliates, ...demoHistoryAffiliates].map(({ key, name }) => [
      key,
      name,
    ]),
  );
  const lines = demoEndpoints.map(
    ({ affiliate, name, behaviour }) =>
      `    ${(names.get(affiliate) ?? "").padEnd(21)}${name.padEnd(20)}${behaviourWords[behaviour]}`,
  );
  return [
    "",
    "The demo is running. Ctrl-C stops all of it; its data stays, and it goes on there next time.",
    "",
    `  Console    ${url}`,
    `  API key    ${apiKey}`,
    `  Receiver   ${receiver.url("/")}`,
    `  Events     ${rate} a second, seed ${seed}`,
    "",
    "  Users",
    ...users.map(({ role, email, password }) => `    ${role.padEnd(11)}${email.padEnd(32)}${password}`),
    "",
    "  Endpoints",
    ...lines,
    "",
  ].join("\n");
}
