import { type ChildProcess, fork, spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { createInterface } from "node:readline";
import { setTimeout as sleep } from "node:timers/promises";
import type pg from "pg";
import { v7 as uuidv7 } from "uuid";
import { migrate } from "#drizzle/migrate.ts";
import { createDatabase } from "#lib/db/database.ts";
import { loadEventTypeRules } from "#lib/queue/event-type-rules.ts";
import { publishEvents } from "#lib/queue/publish.ts";
import { encryptSecret, generateSigningSecret } from "#lib/secrets.ts";
import { startEmbeddedPostgres, stopPostgres } from "#scripts/embedded-postgres.ts";
import type { ReceiverOrder, ReceiverReport } from "./receiver.ts";

/** A PostgreSQL of its own with fsync on, a receiver, and workers as processes: what every table of the bench needs. */
export type World = {
  pool: pg.Pool;
  publish: (events: BenchEvent[]) => Promise<void>;
  origin: string;
  /** Makes an affiliate with one webhook endpoint at `path`; returns the affiliate's key. */
  addEndpoint: (path: string) => Promise<string>;
  /** The same with a signed GET postback; `query` is its template from the question mark on. */
  addPostback: (path: string, query: string) => Promise<string>;
  startWorker: () => Promise<BenchWorker>;
  tellReceiver: (order: "record") => void;
  /** Event id -> the machine's monotonic clock in ns at its first request since `record`. */
  arrivals: () => Promise<Map<string, bigint>>;
  /** Seconds of CPU used so far. */
  cpuSeconds: () => Promise<{ database: number; receiver: number }>;
  close: () => Promise<void>;
};
export type BenchWorker = {
  cpuSeconds: () => Promise<number>;
  /** SIGTERM and its end; SIGKILL where it would wait for a hanging receiver. */
  stop: (signal?: "SIGTERM" | "SIGKILL") => Promise<void>;
};

const root = path.resolve(import.meta.dirname, "../..");

export async function createWorld(): Promise<World> {
  const dataDir = await mkdtemp(path.join(tmpdir(), "posthorn-bench-"));
  const secretKey = randomBytes(32);
  const postgres = await startEmbeddedPostgres({ dataDir });
  const receiver = fork(path.join(import.meta.dirname, "receiver.ts"));
  const [{ port }] = (await once(receiver, "message")) as [{ port: number }];
  const origin = `http://127.0.0.1:${port}`;
  await migrate(postgres.url);
  const { pool } = createDatabase({
    url: postgres.url,
    maxConnections: 10,
    applicationName: "posthorn-bench",
    statementTimeoutMs: 120_000,
    onError: () => undefined,
  });
  const workers = new Set<ChildProcess>();
  const tell = (order: ReceiverOrder) => void receiver.send(order);

  async function addEndpoint(urlPath: string): Promise<string> {
    const [affiliateId, endpointId, secretId] = [uuidv7(), uuidv7(), uuidv7()];
    const ciphertext = encryptSecret(generateSigningSecret(), { key: secretKey, context: secretId });
    const key = `affiliate${urlPath.replaceAll("/", "-")}`;
    await pool.query("insert into posthorn.affiliates (id, key, name) values ($1, $2, $2)", [
      affiliateId,
      key,
    ]);
    await pool.query(
      `insert into posthorn.endpoints (id, affiliate_id, name, url, status_changed_by) values ($1, $2, $3, $4, 'bench')`,
      [endpointId, affiliateId, urlPath, origin + urlPath],
    );
    await pool.query("insert into posthorn.endpoint_health (endpoint_id) values ($1)", [endpointId]);
    await pool.query(
      "insert into posthorn.endpoint_secrets (id, endpoint_id, ciphertext) values ($1, $2, $3)",
      [secretId, endpointId, ciphertext],
    );
    return key;
  }

  async function addPostback(urlPath: string, query: string): Promise<string> {
    const key = await addEndpoint(urlPath);
    await pool.query(
      `update posthorn.endpoints set kind = 'postback', method = 'GET', sign_url = true, url = url || $2,
         event_types = array['conversion.approved'] where name = $1`,
      [urlPath, query],
    );
    return key;
  }

  async function startWorker(): Promise<BenchWorker> {
    const worker = spawn("node", ["worker/main.ts"], {
      cwd: root,
      env: {
        ...process.env,
        DATABASE_URL: postgres.url,
        POSTHORN_SECRET_KEY: secretKey.toString("base64"),
        POSTHORN_ALLOWED_SUBNETS: "127.0.0.0/8",
        POSTHORN_ALLOW_HTTP: "true",
        POSTHORN_LOG_LEVEL: "info",
      },
      stdio: ["ignore", "pipe", "inherit"],
    });
    workers.add(worker);
    const lines = createInterface({ input: worker.stdout as NodeJS.ReadableStream });
    await new Promise<void>((resolve) =>
      lines.on("line", (line) => {
        if (line.includes('"worker started"')) resolve();
        else if (!line.includes('"level":"info"')) process.stderr.write(`${line}\n`);
      }),
    );
    const pid = worker.pid as number;
    return {
      cpuSeconds: () => processCpuSeconds(pid),
      stop: async (signal = "SIGTERM") => {
        const exited = once(worker, "exit");
        worker.kill(signal);
        await exited;
        workers.delete(worker);
      },
    };
  }

  return {
    pool,
    publish: createPublisher(pool),
    origin,
    addEndpoint,
    addPostback,
    startWorker,
    tellReceiver: tell,
    arrivals: async () => {
      const answer = once(receiver, "message");
      tell("report");
      const [{ arrivals }] = (await answer) as [ReceiverReport];
      // Backwards, so that the first of an event's requests is the one that stays.
      return new Map(arrivals.toReversed().map(([id, at]) => [id, BigInt(at)]));
    },
    cpuSeconds: async () => {
      const server = postgres.process.pid as number;
      const used = await Promise.all([server, ...(await childrenOf(server))].map(processCpuSeconds));
      return {
        database: used.reduce((sum, seconds) => sum + seconds, 0),
        receiver: await processCpuSeconds(receiver.pid as number),
      };
    },
    close: async () => {
      for (const worker of workers) worker.kill("SIGKILL");
      receiver.kill();
      await pool.end();
      await stopPostgres(postgres.process);
      await postgres.release();
      await rm(dataDir, { recursive: true, force: true });
    },
  };
}

const eventType = "conversion.approved";
type BenchEvent = { id: string | null; affiliate: string; data: Buffer };

/** Publishes as the API does, which has held the data against the catalogue before. */
function createPublisher(pool: pg.Pool): (events: BenchEvent[]) => Promise<void> {
  const rules = loadEventTypeRules(pool, [eventType]);
  return async (events) => {
    const version = (await rules).get(eventType)?.version ?? null;
    const items = events.map((event) => ({ ...event, type: eventType, occurredAt: null, orderingKey: null }));
    await publishEvents(pool, items, { typeVersions: items.map(() => version) });
  };
}

export function sampleData(i: number): Buffer {
  return Buffer.from(
    JSON.stringify({
      click_id: `clk_${i}`,
      conversion_id: `cnv_${i}`,
      payout: "25.00",
      currency: "EUR",
      country: "DE",
      goal: "ftd",
    }),
  );
}

/** Waits until nothing can be sent any more. Looks through small partial indexes, so that watching costs next to nothing. */
export async function allSettled(pool: pg.Pool, giveUpAfterMs = 300_000): Promise<void> {
  for (const end = performance.now() + giveUpAfterMs; performance.now() < end; await sleep(50)) {
    const { rows } = await pool.query<{ busy: boolean }>(
      `select exists (select from posthorn.event_outbox)
        or exists (select from posthorn.deliveries where state in ('pending', 'failed') and not blocked)
        or exists (select from posthorn.deliveries where state = 'in_flight') as busy`,
    );
    if (!rows[0]?.busy) return;
  }
  throw new Error("the pipeline did not finish in time");
}

/** The value below which that part of the (unsorted) values lies. */
export function quantile(values: readonly number[], part: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(part * sorted.length))] as number;
}

/** User and system time so far, with that of children that have ended; 0 where there is no /proc. */
async function processCpuSeconds(pid: number): Promise<number> {
  const stat = await readFile(`/proc/${pid}/stat`, "utf8").catch(() => "");
  const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  const ticks = [11, 12, 13, 14].reduce((sum, i) => sum + Number(fields[i] ?? 0), 0);
  return ticks / 100;
}

async function childrenOf(pid: number): Promise<number[]> {
  const list = await readFile(`/proc/${pid}/task/${pid}/children`, "utf8").catch(() => "");
  return list.split(" ").filter(Boolean).map(Number);
}
