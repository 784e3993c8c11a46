import { spawn } from "node:child_process";
import { once } from "node:events";
import path from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { buildIfNeeded } from "#scripts/build.ts";
import { freePort } from "#scripts/ports.ts";

const root = path.resolve(import.meta.dirname, "../../..");
const readyWithinMs = 60_000;

export type Web = { origin: string; stop: () => Promise<void> };

/** The built web process, as `npm start` runs it, on a free port. */
export async function startWeb(options: { databaseUrl: string; secretKey: Buffer }): Promise<Web> {
  await buildIfNeeded({
    onBuild: () => process.stderr.write("building the console\n"),
    signal: new AbortController().signal,
  });
  const port = await freePort();
  const origin = `http://127.0.0.1:${port}`;
  const child = spawn(
    process.execPath,
    ["node_modules/next/dist/bin/next", "start", "--hostname", "127.0.0.1", "--port", String(port)],
    {
      cwd: root,
      env: {
        ...process.env,
        DATABASE_URL: options.databaseUrl,
        POSTHORN_SECRET_KEY: options.secretKey.toString("base64"),
        PORT: String(port),
        POSTHORN_LOG_LEVEL: "warn",
        NEXT_TELEMETRY_DISABLED: "1",
        NODE_ENV: "production",
      },
      stdio: ["ignore", "ignore", "inherit"],
    },
  );
  const exited = once(child, "exit");
  const stop = async () => {
    child.kill("SIGTERM");
    await exited;
  };
  for (const startedAt = performance.now(); performance.now() - startedAt < readyWithinMs; await sleep(100)) {
    if (child.exitCode !== null) throw new Error("the web process ended while it started");
    const isReady = await fetch(`${origin}/readyz`).then(
      (answer) => answer.ok,
      () => false,
    );
    if (isReady) return { origin, stop };
  }
  await stop();
  throw new Error("the web process did not answer");
}
