import { configOrExit } from "#lib/config.ts";
import { createDatabase } from "#lib/db/database.ts";
import { createSender } from "#lib/http/send.ts";
import { createLogger } from "#lib/log.ts";
import { createMailer } from "#lib/mail/mailer.ts";
import { startMaintenance } from "./maintenance.ts";
import { startRunner } from "./runner.ts";

/** Claim, load, fan-out, two to settle, heartbeat, maintenance, latencies and two that keep their lock. */
const connections = 11;

const settings = configOrExit();
const log = createLogger("worker");
if (!settings.databaseUrl) {
  process.stderr.write("DATABASE_URL must be set: a worker needs the database that the web process uses\n");
  process.exit(1);
}

const database = createDatabase({
  url: settings.databaseUrl,
  maxConnections: connections,
  applicationName: "posthorn-worker",
  statementTimeoutMs: 30_000,
  onError: (error) => log.warn({ err: error }, "database connection lost"),
});
const sender = createSender({
  allowedSubnets: settings.allowedSubnets,
  // As many as could ever go to one: its endpoints must not wait for each other's connections.
  connectionsPerOrigin: settings.workerSlots,
});
const mailer = settings.smtp ? createMailer(settings.smtp) : null;
const runner = await startRunner({
  database,
  listenUrl: settings.listenUrl ?? settings.databaseUrl,
  sender,
  secretKeys: [settings.secretKey, ...settings.previousSecretKeys],
  slots: settings.workerSlots,
  log,
});
const maintenance = startMaintenance({
  pool: database.pool,
  secretKeys: [settings.secretKey, ...settings.previousSecretKeys],
  mayReap: runner.mayReap,
  notices: { sender, mailer, publicUrl: settings.publicUrl },
  log,
});
log.info({ workerId: runner.workerId, slots: settings.workerSlots }, "worker started");

let stopping = false;
async function stop(reason: string): Promise<void> {
  if (stopping) return;
  stopping = true;
  log.info({ reason }, "worker stopping");
  await Promise.all([runner.stop(), maintenance.stop()]);
  mailer?.close();
  await Promise.all([sender.close(), database.pool.end()]);
  log.info("worker stopped");
  process.exit(0);
}

process.on("SIGTERM", () => void stop("SIGTERM"));
process.on("SIGINT", () => void stop("SIGINT"));
runner.failed.catch((error) => {
  log.fatal({ err: error }, "worker cannot go on");
  process.exit(1);
});
