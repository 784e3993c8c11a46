import { randomBytes } from "node:crypto";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { parseArgs } from "node:util";
import type pg from "pg";
import { v7 as uuidV7 } from "uuid";
import { migrate } from "#drizzle/migrate.ts";
import { createDatabase } from "#lib/db/database.ts";
import { startEmbeddedPostgres, stopPostgres } from "#scripts/embedded-postgres.ts";
import { sessionCookie } from "#test/helpers/users.ts";
import { consoleCalls, findKnown } from "./calls.ts";
import { idOf, type Sizes, timed } from "./fill.ts";
import { type Ask, type Measurement, measureCall } from "./measure.ts";
import { readScans, type Scans, scansBetween } from "./scans.ts";
import { seedConsole } from "./seed.ts";
import { seedPresent } from "./seed-latency.ts";
import { benchSecretKey } from "./seed-traffic.ts";
import { startWeb } from "./web.ts";

/**
 * Fills a database of its own as a large deployment has it, and calls every route of the console on it over HTTP: which
 * of them answers later than `limit-ms`, and whether any growing table was read from end to end.
 */
const { values: flags } = parseArgs({
  options: {
    json: { type: "boolean", default: false },
    /** Where the database is kept, to be measured again; otherwise it is thrown away. */
    data: { type: "string" },
    /** Only calls whose name contains this. */
    only: { type: "string", default: "" },
    runs: { type: "string", default: "20" },
    "limit-ms": { type: "string", default: "300" },
    deliveries: { type: "string", default: "5000000" },
    endpoints: { type: "string", default: "10000" },
    affiliates: { type: "string", default: "3000" },
    largest: { type: "string", default: "1000" },
    "dead-letters": { type: "string", default: "250000" },
    audit: { type: "string", default: "500000" },
    days: { type: "string", default: "90" },
    "latency-days": { type: "string", default: "30" },
  },
});
const asked: Sizes = {
  deliveries: Number(flags.deliveries),
  endpoints: Number(flags.endpoints),
  affiliates: Number(flags.affiliates),
  largest: Number(flags.largest),
  deadLetters: Number(flags["dead-letters"]),
  auditEntries: Number(flags.audit),
  days: Number(flags.days),
  latencyDays: Number(flags["latency-days"]),
};
const runs = Number(flags.runs);
const limitMs = Number(flags["limit-ms"]);
const log = (line: string) => void process.stderr.write(`${line}\n`);

/** Nothing here outlives the bench, so nothing needs to survive a crash; and nobody vacuums while it measures. */
const settings = {
  autovacuum: "off",
  fsync: "off",
  full_page_writes: "off",
  synchronous_commit: "off",
  wal_level: "minimal",
  max_wal_senders: "0",
  max_wal_size: "8GB",
  checkpoint_timeout: "1h",
};

const dataDir = flags.data ?? (await mkdtemp(path.join(tmpdir(), "posthorn-console-bench-")));
const postgres = await startEmbeddedPostgres({ dataDir, settings });
try {
  await migrate(postgres.url);
  const sizes = await withPool(2, prepare);
  const { measured, faults, scans } = await withPool(1, (pool) => measureAll(pool, sizes));
  const slow = measured.filter(({ medianMs }) => medianMs > limitMs);
  const scanned = Object.entries(scans).filter(([, { sequential }]) => sequential > 0);
  process.stdout.write(
    flags.json
      ? `${JSON.stringify({ sizes, measured, faults, scans })}\n`
      : `${table(measured)}\n${scanTable(scans)}\n`,
  );
  for (const fault of faults) log(`not answered: ${fault}`);
  for (const { name, path, medianMs } of slow)
    log(`over ${limitMs} ms: ${name} took ${medianMs.toFixed(0)} ms (${path})`);
  for (const [name, { sequential }] of scanned) log(`read from end to end ${sequential} times: ${name}`);
  if (faults.length + slow.length + scanned.length > 0) process.exitCode = 1;
} finally {
  await stopPostgres(postgres.process);
  await postgres.release();
  if (flags.data === undefined) await rm(dataDir, { recursive: true, force: true });
}

async function withPool<T>(maxConnections: number, work: (pool: pg.Pool) => Promise<T>): Promise<T> {
  const { pool } = createDatabase({
    url: postgres.url,
    maxConnections,
    applicationName: "posthorn-bench",
    statementTimeoutMs: 3_600_000,
    onError: () => undefined,
  });
  try {
    return await work(pool);
  } finally {
    await pool.end();
  }
}

/** Seeds what is empty; a kept database says by itself how large it is. */
async function prepare(pool: pg.Pool): Promise<Sizes> {
  const file = path.join(dataDir, "sizes.json");
  const kept = await readFile(file, "utf8").catch(() => null);
  if (kept !== null) {
    await timed({ log }, "brought up to now", () => seedPresent({ pool }));
    return JSON.parse(kept);
  }
  await timed({ log }, "the whole seed", () => seedConsole({ pool, sizes: asked, log }));
  await writeFile(file, JSON.stringify(asked));
  return asked;
}

async function measureAll(
  pool: pg.Pool,
  sizes: Sizes,
): Promise<{ measured: Measurement[]; faults: string[]; scans: Scans }> {
  process.env.POSTHORN_SECRET_KEY = benchSecretKey.toString("base64");
  const calls = consoleCalls(await findKnown(pool, sizes)).filter(({ name }) => name.includes(flags.only));
  const cookie = await signIn(pool);
  const web = await startWeb({ databaseUrl: postgres.url, secretKey: benchSecretKey });
  const ask: Ask = async ({ path, body }) => {
    const answer = await fetch(web.origin + path, {
      headers: {
        cookie,
        ...(body === undefined ? {} : { "content-type": "application/json", origin: web.origin }),
      },
      ...(body === undefined ? {} : { method: "POST", body: JSON.stringify(body) }),
    });
    return { status: answer.status, text: await answer.text() };
  };
  const measured: Measurement[] = [];
  const faults: string[] = [];
  const before = await settledScans(pool);
  try {
    for (const call of calls) {
      // One that is refused, or stopped since it took too long, leaves the others to be measured.
      const one = await measureCall(ask, call, { runs, warmUps: 2 }).catch((error: Error) => {
        faults.push(error.message);
        return null;
      });
      if (one) measured.push(one);
    }
  } finally {
    await web.stop();
  }
  return { measured, faults, scans: scansBetween(before, await settledScans(pool)) };
}

/** With what other processes have read by now: they tell of it when they end, and this one when it is told to. */
async function settledScans(pool: pg.Pool): Promise<Scans> {
  await pool.query("select pg_stat_force_next_flush()");
  return readScans(pool);
}

/** A session of the first user, who is an admin. */
async function signIn(pool: pg.Pool): Promise<string> {
  const token = randomBytes(24).toString("base64url");
  await pool.query(
    `insert into posthorn.sessions (id, user_id, token, expires_at) values ($1, ${idOf("user", "1")}, $2, now() + interval '1 day')`,
    [uuidV7(), token],
  );
  return sessionCookie(token);
}

function table(measured: Measurement[]): string {
  const line = (name: string, ...cells: string[]) =>
    name.padEnd(56) + cells.map((cell) => cell.padStart(11)).join("");
  return [
    line("route, as the console asks it", "median ms", "p95 ms", "rows", "bytes"),
    ...measured.map(({ name, medianMs, p95Ms, rows, bytes }) =>
      line(name, medianMs.toFixed(1), p95Ms.toFixed(1), rows === null ? "" : String(rows), String(bytes)),
    ),
    "",
  ].join("\n");
}

function scanTable(scans: Scans): string {
  const line = (...cells: string[]) =>
    cells.map((cell, i) => (i === 0 ? cell.padEnd(28) : cell.padStart(16))).join("");
  return [
    line("growing table", "rows", "end to end", "by index"),
    ...Object.entries(scans).map(([name, { rows, sequential, byIndex }]) =>
      line(name, String(rows), String(sequential), String(byIndex)),
    ),
    "",
  ].join("\n");
}
