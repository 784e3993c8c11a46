import { type ChildProcess, fork, spawn } from "node:child_process";
import { createSecretKey, randomBytes } from "node:crypto";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { performance } from "node:perf_hooks";
import { createInterface } from "node:readline";
import { setTimeout as sleep } from "node:timers/promises";
import { parseArgs } from "node:util";
import { Pool } from "undici";
import { v7 as uuidv7 } from "uuid";
import { migrate } from "#drizzle/migrate.ts";
import { createDatabase, type Database } from "#lib/db/database.ts";
import { webhookBody, webhookHeaders } from "#lib/delivery/request.ts";
import { signWebhook } from "#lib/delivery/signature.ts";
import { loadEventTypeRules } from "#lib/queue/event-type-rules.ts";
import { publishEvents } from "#lib/queue/publish.ts";
import { encryptSecret, generateSigningSecret } from "#lib/secrets.ts";
import { startEmbeddedPostgres, stopPostgres } from "#scripts/embedded-postgres.ts";

/**
 * Compares, in one run on one database with fsync on, bare undici against the receiver with the whole pipeline:
 * accepted events -> fan-out -> claim -> sign and send -> settle. Bare undici signs and sends the same requests
 * without a database, before and after, since the speed of a shared machine drifts. CPU time per delivery stands
 * beside the rates, because it drifts less.
 */
const { values: flags } = parseArgs({
  options: {
    json: { type: "boolean", default: false },
    events: { type: "string", default: "40000" },
    endpoints: { type: "string", default: "200" },
  },
});
const eventCount = Number(flags.events);
const eventType = "conversion.approved";
const endpointCount = Number(flags.endpoints);
const bareRequests = 40_000;
const atOnce = 128;
const giveUpAfterMs = 300_000;

const root = path.resolve(import.meta.dirname, "../..");
const dataDir = await mkdtemp(path.join(tmpdir(), "posthorn-bench-"));
const secretKey = randomBytes(32);
const say = (text: string) => void (flags.json || process.stdout.write(`${text}\n`));

say("starting PostgreSQL and the receiver");
const postgres = await startEmbeddedPostgres({ dataDir });
const receiver = fork(path.join(import.meta.dirname, "receiver.ts"));
const database = createDatabase({
  url: postgres.url,
  maxConnections: 4,
  applicationName: "posthorn-bench",
  statementTimeoutMs: 120_000,
  onError: () => undefined,
});
const workers = new Set<ChildProcess>();
try {
  const origin = `http://127.0.0.1:${await portOf(receiver)}`;
  await migrate(postgres.url);
  await prepare(database, origin);
  const bareBefore = await bareUndici(origin);
  say(`bare undici: ${Math.round(bareBefore)}/s`);
  await publish(database);
  say(`${eventCount} events are waiting for ${endpointCount} endpoints`);
  const pipeline = await runPipeline();
  say(`pipeline:    ${Math.round(pipeline.perSecond)}/s`);
  const bareAfter = await bareUndici(origin);
  say(`bare undici: ${Math.round(bareAfter)}/s`);
  const bare = (bareBefore + bareAfter) / 2;
  const result = {
    bare_undici_per_s: Math.round(bare),
    pipeline_per_s: Math.round(pipeline.perSecond),
    ratio: Number((pipeline.perSecond / bare).toFixed(3)),
    cpu_us_per_delivery: pipeline.cpuMicros,
  };
  if (flags.json) process.stdout.write(`${JSON.stringify(result)}\n`);
  else {
    const { worker, database, receiver } = result.cpu_us_per_delivery;
    say(`ratio:       ${result.ratio}`);
    say(`CPU us per delivery: worker ${worker}, database ${database}, receiver ${receiver}`);
  }
} finally {
  for (const worker of workers) worker.kill("SIGKILL");
  receiver.kill();
  await database.pool.end();
  await stopPostgres(postgres.process);
  await postgres.release();
  await rm(dataDir, { recursive: true, force: true });
}

function portOf(child: ChildProcess): Promise<number> {
  return new Promise((resolve) =>
    child.once("message", (message) => resolve((message as { port: number }).port)),
  );
}

/** The same requests, signed one by one, sent as a program without a queue would send them. */
async function bareUndici(origin: string): Promise<number> {
  const pool = new Pool(origin, { connections: atOnce, allowH2: false });
  const keys = [createSecretKey(generateSigningSecret())];
  let left = bareRequests;
  const start = performance.now();
  await Promise.all(
    Array.from({ length: atOnce }, async () => {
      while (left-- > 0) {
        const id = uuidv7();
        const data = Buffer.from(JSON.stringify(sampleData(left)));
        const body = webhookBody({ id, type: "conversion.approved", occurredAt: new Date(), data });
        const timestampSeconds = Math.floor(Date.now() / 1_000);
        const signature = signWebhook({ id, timestampSeconds, body }, keys);
        const headers = webhookHeaders({ eventId: id, timestampSeconds, signature, attemptNumber: 1 });
        const response = await pool.request({
          path: `/hook/${left % endpointCount}`,
          method: "POST",
          headers,
          body,
        });
        await response.body.text();
      }
    }),
  );
  const perSecond = bareRequests / ((performance.now() - start) / 1_000);
  await pool.close();
  return perSecond;
}

async function prepare({ pool }: Database, origin: string): Promise<void> {
  for (let i = 0; i < endpointCount; i++) {
    const [affiliateId, endpointId, secretId] = [uuidv7(), uuidv7(), uuidv7()];
    const ciphertext = encryptSecret(generateSigningSecret(), { key: secretKey, context: secretId });
    await pool.query("insert into posthorn.affiliates (id, key, name) values ($1, $2, $2)", [
      affiliateId,
      `a${i}`,
    ]);
    await pool.query(
      `insert into posthorn.endpoints (id, affiliate_id, name, url, status_changed_by) values ($1, $2, $3, $4, 'bench')`,
      [endpointId, affiliateId, `endpoint ${i}`, `${origin}/hook/${i}`],
    );
    await pool.query("insert into posthorn.endpoint_health (endpoint_id) values ($1)", [endpointId]);
    await pool.query(
      "insert into posthorn.endpoint_secrets (id, endpoint_id, ciphertext) values ($1, $2, $3)",
      [secretId, endpointId, ciphertext],
    );
  }
}

/** As the API does, which has held the data against the catalogue. */
async function publish({ pool }: Database): Promise<void> {
  const version = (await loadEventTypeRules(pool, [eventType])).get(eventType)?.version ?? null;
  for (let from = 0; from < eventCount; from += 500) {
    const length = Math.min(500, eventCount - from);
    await publishEvents(
      pool,
      Array.from({ length }, (_, i) => ({
        id: null,
        type: eventType,
        affiliate: `a${(from + i) % endpointCount}`,
        occurredAt: null,
        orderingKey: null,
        data: Buffer.from(JSON.stringify(sampleData(from + i))),
      })),
      { typeVersions: Array.from({ length }, () => version) },
    );
  }
}

function sampleData(i: number) {
  return {
    click_id: `clk_${i}`,
    conversion_id: `cnv_${i}`,
    payout: "25.00",
    currency: "EUR",
    country: "DE",
    goal: "ftd",
  };
}

async function runPipeline() {
  const before = await cpuSeconds();
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
  const workerStart = await processCpuSeconds(worker.pid as number);
  const start = performance.now();
  await allSettled(database, start);
  const seconds = (performance.now() - start) / 1_000;
  const after = await cpuSeconds();
  const workerSeconds = (await processCpuSeconds(worker.pid as number)) - workerStart;
  const exited = new Promise((resolve) => worker.once("exit", resolve));
  worker.kill("SIGTERM");
  await exited;
  workers.delete(worker);
  const micros = (used: number) => Math.round((used / eventCount) * 1e6);
  return {
    perSecond: eventCount / seconds,
    cpuMicros: {
      worker: micros(workerSeconds),
      database: micros(after.database - before.database),
      receiver: micros(after.receiver - before.receiver),
    },
  };
}

/** Looks through small partial indexes, so that watching costs next to nothing. */
async function allSettled({ pool }: Database, start: number): Promise<void> {
  for (;;) {
    const { rows } = await pool.query<{ busy: boolean }>(
      `select exists (select from posthorn.event_outbox)
        or exists (select from posthorn.deliveries where state in ('pending', 'failed') and not blocked)
        or exists (select from posthorn.deliveries where state = 'in_flight') as busy`,
    );
    if (!rows[0]?.busy) break;
    if (performance.now() - start > giveUpAfterMs) throw new Error("the pipeline did not finish in time");
    await sleep(100);
  }
  const { rows } = await pool.query<{ n: string }>(
    "select count(*) as n from posthorn.deliveries where state = 'delivered' and attempt_number = 1",
  );
  if (Number(rows[0]?.n) !== eventCount)
    throw new Error(`expected ${eventCount} deliveries, found ${rows[0]?.n}`);
}

async function cpuSeconds(): Promise<{ database: number; receiver: number }> {
  const children = await childrenOf(postgres.process.pid as number);
  const used = await Promise.all([postgres.process.pid as number, ...children].map(processCpuSeconds));
  return {
    database: used.reduce((sum, seconds) => sum + seconds, 0),
    receiver: await processCpuSeconds(receiver.pid as number),
  };
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
