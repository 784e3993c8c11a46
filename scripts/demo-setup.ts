import { randomBytes } from "node:crypto";
import { mkdir } from "node:fs/promises";
import path from "node:path";
import type { Endpoint, EndpointCreated } from "#lib/endpoints/schema.ts";
import { type DemoReceiver, demoUrl } from "./demo-receiver.ts";
import {
  demoCustomersAffiliates,
  demoEndpoints,
  demoEventTypes,
  demoHistoryAffiliates,
  demoPlayersAffiliates,
} from "./demo-world.ts";
import { readSecret, writeSecret } from "./secret-file.ts";
import { StartError } from "./start-error.ts";

/** What the demo keeps between runs, readable by its owner alone. */
export type DemoMemory = {
  apiKey: string;
  /** Of the demo's users. */
  password: string;
  receiverPort: number;
  /** By path. */
  endpoints: Record<string, { id: string; secret: string }>;
};

const defaultReceiverPort = 4_700;

const memoryFile = (dataDir: string) => path.join(dataDir, "demo.json");

export async function readMemory(dataDir: string): Promise<DemoMemory> {
  const text = await readSecret(memoryFile(dataDir));
  const made = { password: `horn-${randomBytes(9).toString("base64url")}` };
  // What an earlier version kept has no password.
  if (text !== undefined) return { ...made, ...JSON.parse(text) };
  return {
    ...made,
    apiKey: `phk_demo_${randomBytes(24).toString("base64url")}`,
    receiverPort: defaultReceiverPort,
    endpoints: {},
  };
}

export async function writeMemory(dataDir: string, memory: DemoMemory): Promise<void> {
  await mkdir(dataDir, { recursive: true });
  await writeSecret(memoryFile(dataDir), JSON.stringify(memory));
}

export type Api = {
  /** The status and the JSON answer; throws for what is neither a success nor in `expected`. */
  call(
    method: string,
    resource: string,
    options?: { body?: unknown; expected?: number[] },
  ): Promise<{ status: number; body: unknown }>;
};

export function createApi(url: string, apiKey: string): Api {
  return {
    call: async (method, resource, { body, expected = [] } = {}) => {
      const response = await fetch(`${url}/api/v1/${resource}`, {
        method,
        headers: { authorization: `Bearer ${apiKey}`, "content-type": "application/json" },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
        signal: AbortSignal.timeout(30_000),
      });
      const text = await response.text();
      if (!response.ok && !expected.includes(response.status)) {
        throw new StartError(
          `${method} /api/v1/${resource} answered ${response.status}: ${text.slice(0, 500)}`,
        );
      }
      return { status: response.status, body: text === "" ? null : JSON.parse(text) };
    },
  };
}

/**
 * Makes the demo's affiliates, event types and endpoints where they are missing, and points endpoints at the
 * receiver's new port when it has moved. Nothing that somebody changed by hand is changed back.
 */
export async function setUpWorld(options: {
  api: Api;
  receiver: DemoReceiver;
  memory: DemoMemory;
  remember: () => Promise<void>;
}): Promise<void> {
  const { api, receiver, memory, remember } = options;
  for (const body of [...demoPlayersAffiliates, ...demoCustomersAffiliates, ...demoHistoryAffiliates]) {
    await api.call("POST", "affiliates", { body, expected: [409] });
  }
  for (const body of demoEventTypes) await api.call("POST", "event-types", { body, expected: [409] });
  for (const demo of demoEndpoints) {
    const { behaviour: _, query: __, path: at, ...settings } = demo;
    const url = demoUrl(receiver, demo);
    const known = memory.endpoints[at];
    if (known && (await keepEndpoint({ api, id: known.id, url, memory }))) continue;
    const { body } = await api.call("POST", "endpoints", { body: { ...settings, url } });
    const { id, secret } = body as EndpointCreated;
    memory.endpoints[at] = { id, secret };
    await remember();
  }
  memory.receiverPort = receiver.port;
  await remember();
}

/** Whether the endpoint is still there. */
async function keepEndpoint(options: {
  api: Api;
  id: string;
  url: string;
  memory: DemoMemory;
}): Promise<boolean> {
  const { api, id, url, memory } = options;
  const { status, body } = await api.call("GET", `endpoints/${id}`, { expected: [404] });
  if (status === 404) return false;
  const current = new URL((body as Endpoint).url);
  if (current.port === String(memory.receiverPort) && current.href !== url) {
    await api.call("PATCH", `endpoints/${id}`, { body: { url } });
  }
  return true;
}
