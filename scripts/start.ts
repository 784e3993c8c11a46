import { type ChildProcess, spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import { once } from "node:events";
import path from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { migrate } from "#drizzle/migrate.ts";
import { ensureFirstAdmin, setupLinkHours } from "#lib/accounts/first-admin.ts";
import { ensureFirstApiKey } from "#lib/auth/api-keys.ts";
import { type Config, parseConfig } from "#lib/config.ts";
import { maxTimeoutMs } from "#lib/endpoints/schema.ts";
import { buildIfNeeded } from "./build.ts";
import { startEmbeddedPostgres } from "./embedded-postgres.ts";
import { requireFreePort } from "./ports.ts";
import { postgresManners } from "./postgres-leftover.ts";
import { readSecret, writeSecret } from "./secret-file.ts";
import { errorCode, StartError } from "./start-error.ts";
import { createSupervisor, type Manners, type Service, type Supervisor } from "./supervisor.ts";
import { untilStopped } from "./terminal.ts";
import { withDatabase } from "./with-database.ts";

export type Mode = "start" | "dev";

export type StartOptions = {
  env: NodeJS.Dict<string>;
  mode: Mode;
  /** Ends a start that is still under way. */
  signal?: AbortSignal;
};

export type Running = {
  url: string;
  databaseUrl: string;
  /** Only when it has just been made: it is kept nowhere. */
  apiKey: string | null;
  /** Where the first admin is made, while there is none; valid for a day, and until the next start. */
  setupUrl: string | null;
  stop: () => Promise<void>;
  /** The exit code: 0 after `stop`, 1 when a process that kept dying ended everything. */
  done: Promise<number>;
};

type Database = { databaseUrl: string; secretKey: string };
type Step = StartOptions & { config: Config; supervisor: Supervisor; signal: AbortSignal };

const root = path.join(import.meta.dirname, "..");
const loopback = "127.0.0.1";
const webReadyWithinSeconds = 120;
const webManners: Manners = { stopSignal: "SIGTERM", stopWithinSeconds: 20, lastSignal: "SIGKILL" };
/** Longer than any request may take: one that is cut off in flight is made again. */
export const workerManners: Manners = { ...webManners, stopWithinSeconds: maxTimeoutMs / 1_000 + 20 };

/**
 * Starts all of Posthorn: PostgreSQL unless DATABASE_URL names one, the build if it is out of date, migrations,
 * the first API key and the way to the first admin, then web and worker under a supervisor. Resolves once the web part answers.
 * Throws `ConfigError` or `StartError`, with everything stopped again, when that cannot be.
 */
export async function startPosthorn(options: StartOptions): Promise<Running> {
  const config = parseConfig(options.env);
  const signal = options.signal ?? new AbortController().signal;
  const supervisor = createSupervisor({ report });
  let release = async () => {};
  const stop = async () => {
    await supervisor.stop();
    await release();
  };
  const step = { ...options, config, supervisor, signal };
  try {
    await requireFreePort(config.port, "PORT");
    const database = await openDatabase(step, (given) => {
      release = given;
    });
    const running = await startOn(database, step);
    const done = supervisor.done.then(async (outcome) => {
      await release();
      return outcome === "stopped" ? 0 : 1;
    });
    return { ...running, stop, done };
  } catch (error) {
    await stop();
    throw error;
  }
}

async function startOn(
  database: Database,
  step: Step,
): Promise<Pick<Running, "url" | "databaseUrl" | "apiKey" | "setupUrl">> {
  const { config, mode, supervisor, signal } = step;
  if (mode === "start") {
    await buildIfNeeded({ onBuild: () => report("Building the console; this is done once"), signal });
  }
  signal.throwIfAborted();
  await prepareSchema(database.databaseUrl);
  const { apiKey, setupToken } = await firstAccess(database.databaseUrl, config);
  signal.throwIfAborted();
  // Until there is an admin nobody else can come in, nor become it.
  const host = setupToken === null ? config.host : loopback;
  await supervisor.run(...services(database, step, host));
  const url = `http://${localName(host)}:${config.port}`;
  await webAnswers(url, step);
  const setupUrl = setupToken === null ? null : `${url}/setup?token=${setupToken}`;
  return { url, databaseUrl: database.databaseUrl, apiKey, setupUrl };
}

async function openDatabase(
  step: Step,
  onRelease: (release: () => Promise<void>) => void,
): Promise<Database> {
  const { config, supervisor, signal } = step;
  if (config.databaseUrl !== undefined) {
    return { databaseUrl: config.databaseUrl, secretKey: config.secretKey.toString("base64") };
  }
  const postgres = await startEmbeddedPostgres({
    dataDir: config.dataDir,
    port: config.databasePort,
    onProgress: report,
  });
  onRelease(postgres.release);
  let first: ChildProcess | undefined = postgres.process;
  await supervisor.run({
    name: "database",
    start: async () => {
      const child = first ?? (await postgres.start());
      first = undefined;
      return child;
    },
    ...postgresManners,
  });
  signal.throwIfAborted();
  return { databaseUrl: postgres.url, secretKey: await keptSecretKey(config) };
}

/** Lost, it takes every stored endpoint secret with it; so it is written once and never replaced. */
async function keptSecretKey(config: Config): Promise<string> {
  if (config.secretKey) return config.secretKey.toString("base64");
  const file = path.join(config.dataDir, "secret-key");
  const kept = await readSecret(file);
  if (kept !== undefined) return kept;
  const made = randomBytes(32).toString("base64");
  await writeSecret(file, made);
  return made;
}

async function prepareSchema(databaseUrl: string): Promise<void> {
  try {
    await migrate(databaseUrl);
  } catch (error) {
    const { host, pathname } = new URL(databaseUrl);
    const cause = (error as Error).cause ?? error;
    const why = (cause as Error).message || errorCode(cause);
    throw new StartError(`The database ${host}${pathname} could not be brought up to date: ${why}`);
  }
}

/** The first API key and the way to the first admin, each where there is none yet. */
async function firstAccess(
  databaseUrl: string,
  config: Config,
): Promise<{ apiKey: string | null; setupToken: string | null }> {
  return withDatabase(databaseUrl, async (database) => {
    const key = await ensureFirstApiKey(database.pool, { provided: config.apiKey });
    const link = await ensureFirstAdmin(database, config);
    return { apiKey: key?.key ?? null, setupToken: link?.setupToken ?? null };
  });
}

/** Under which this machine itself reaches what listens on the address, as in a URL. */
function localName(host: string): string {
  if (host === "0.0.0.0" || host === "::") return loopback;
  return host.includes(":") ? `[${host}]` : host;
}

function services(database: Database, { env, mode, config }: Step, host: string): [Service, Service] {
  const { POSTHORN_API_KEY: _, POSTHORN_ADMIN_EMAIL: __, POSTHORN_ADMIN_PASSWORD: ___, ...inherited } = env;
  const childEnv: NodeJS.ProcessEnv = {
    ...inherited,
    DATABASE_URL: database.databaseUrl,
    POSTHORN_SECRET_KEY: database.secretKey,
    PORT: String(config.port),
    NEXT_TELEMETRY_DISABLED: "1",
    POSTHORN_SUPERVISOR_PID: String(process.pid),
    NODE_ENV: mode === "dev" ? "development" : "production",
  };
  const next = ["node_modules/next/dist/bin/next", mode, "--hostname", host, "--port", String(config.port)];
  const worker =
    mode === "dev" ? ["--watch", "--watch-preserve-output", "worker/main.ts"] : ["worker/main.ts"];
  return [
    { name: "web process", start: () => spawnNode(next, childEnv), ...webManners },
    { name: "worker", start: () => spawnNode(worker, childEnv), ...workerManners },
  ];
}

/** In a group of its own, so that Ctrl-C reaches only the supervisor. */
async function spawnNode(args: string[], env: NodeJS.ProcessEnv): Promise<ChildProcess> {
  const preload = path.join(import.meta.dirname, "exit-with-parent.ts");
  const child = spawn(process.execPath, ["--import", preload, ...args], {
    cwd: root,
    env,
    detached: true,
    stdio: ["ignore", "inherit", "inherit"],
  });
  await once(child, "spawn");
  return child;
}

async function webAnswers(url: string, { supervisor, signal }: Step): Promise<void> {
  let gaveUp = false;
  void supervisor.done.then(() => {
    gaveUp = true;
  });
  for (const deadline = Date.now() + webReadyWithinSeconds * 1000; Date.now() < deadline; await sleep(100)) {
    signal.throwIfAborted();
    if (gaveUp) throw new StartError("Posthorn could not be started; the lines above say why");
    const patience = AbortSignal.any([signal, AbortSignal.timeout(30_000)]);
    const response = await fetch(`${url}/healthz`, { signal: patience }).catch(() => undefined);
    await response?.body?.cancel();
    if (response?.ok) return;
  }
  throw new StartError(
    `The web process did not answer at ${url}/healthz within ${webReadyWithinSeconds} seconds`,
  );
}

function report(message: string): void {
  console.error(message);
}

if (import.meta.main) {
  const mode = process.argv[2] === "dev" ? "dev" : "start";
  await untilStopped(async (signal) => {
    const running = await startPosthorn({ env: process.env, mode, signal });
    console.log(greeting(running));
    return running;
  });
}

function greeting({ url, apiKey, setupUrl }: Running): string {
  const key = apiKey ?? "<your API key>";
  const curl = `curl -sS -H 'Authorization: Bearer ${key}' -H 'Content-Type: application/json'`;
  const data = '{"click_id":"first-click","country":"SE"}';
  return [
    "",
    `Posthorn is ready: ${url}. Ctrl-C stops it.`,
    ...(setupUrl
      ? [
          "",
          `Make the first admin, within ${setupLinkHours} hours: ${setupUrl}`,
          "Until then only this machine is answered; POSTHORN_HOST holds from the start after that.",
        ]
      : []),
    ...(apiKey ? ["", `API key: ${apiKey}`, "It is shown this once; Posthorn keeps only its hash."] : []),
    "",
    "An affiliate, and a first event for it:",
    `  ${curl} ${url}/api/v1/affiliates -d '{"key":"acme","name":"Acme"}'`,
    `  ${curl} ${url}/api/v1/events -d '{"type":"registration","affiliate":"acme","data":${data}}'`,
    "",
  ].join("\n");
}
