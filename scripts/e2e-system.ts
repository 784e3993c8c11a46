import { mkdtemp, rm } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { startPosthorn } from "./start.ts";
import { untilStopped } from "./terminal.ts";

// The system that the end-to-end tests drive: all of it, on a database that begins empty and is thrown away.
await untilStopped(async (signal) => {
  const dataDir = await mkdtemp(path.join(os.tmpdir(), "posthorn-e2e-"));
  const env = { ...process.env, DATABASE_URL: "", POSTHORN_SECRET_KEY: "", POSTHORN_DATA_DIR: dataDir };
  const remove = () => rm(dataDir, { recursive: true, force: true });
  try {
    const running = await startPosthorn({ env, mode: "start", signal });
    return { ...running, done: running.done.finally(remove) };
  } catch (error) {
    await remove();
    throw error;
  }
});
