import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { startPosthorn } from "./start.ts";
import { untilStopped } from "./terminal.ts";

// The system that the end-to-end tests drive: all of it, on a database that begins empty and is thrown away.
const file = process.env.POSTHORN_E2E_FILE ?? "test-results/e2e-system.json";
await untilStopped(async (signal) => {
  const dataDir = await mkdtemp(path.join(os.tmpdir(), "posthorn-e2e-"));
  const env = { ...process.env, DATABASE_URL: "", POSTHORN_SECRET_KEY: "", POSTHORN_DATA_DIR: dataDir };
  const remove = () => rm(dataDir, { recursive: true, force: true });
  try {
    const running = await startPosthorn({ env, mode: "start", signal });
    const { setupUrl, databaseUrl } = running;
    // For the tests: what `npm start` prints, and the way to users of other roles.
    await mkdir(path.dirname(file), { recursive: true });
    await writeFile(file, JSON.stringify({ setupUrl, databaseUrl }));
    return { ...running, done: running.done.finally(remove) };
  } catch (error) {
    await remove();
    throw error;
  }
});
