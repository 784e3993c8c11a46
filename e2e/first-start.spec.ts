import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { createInterface } from "node:readline";
import { freePort } from "#scripts/ports.ts";
import { e2ePassword } from "./signed-in.ts";
import { expect, test } from "./support.ts";

/** Loopback as well, but not the address that nobody but this machine is answered at. */
const host = "127.0.0.2";

/** `npm start` on a database of its own, until it says that it is ready; what it printed by then. */
async function start(env: NodeJS.ProcessEnv): Promise<{ printed: string; stop: () => Promise<void> }> {
  const child = spawn(process.execPath, ["scripts/start.ts"], { env, stdio: ["ignore", "pipe", "inherit"] });
  const ended = once(child, "exit");
  const stop = async () => {
    child.kill("SIGTERM");
    await ended;
  };
  let printed = "";
  for await (const line of createInterface({ input: child.stdout })) {
    printed += `${line}\n`;
    if (line.startsWith("An affiliate, and a first event for it:")) break;
  }
  child.stdout.resume();
  return { printed, stop };
}

test("while there is no admin the console listens on 127.0.0.1, whatever POSTHORN_HOST says, and there from the next start on", async ({
  request,
}) => {
  test.slow();
  const dataDir = await mkdtemp(path.join(os.tmpdir(), "posthorn-first-start-"));
  const port = await freePort();
  const env: NodeJS.ProcessEnv = {
    ...process.env,
    DATABASE_URL: "",
    POSTHORN_SECRET_KEY: "",
    POSTHORN_API_KEY: "",
    POSTHORN_DATA_DIR: dataDir,
    POSTHORN_HOST: host,
    PORT: String(port),
  };
  const statusAt = (address: string) =>
    request.get(`http://${address}:${port}/healthz`).then(
      (answer) => answer.status(),
      (error: Error) => (error.message.includes("ECONNREFUSED") ? "refused" : error.message),
    );
  try {
    const first = await start(env);
    try {
      expect(await statusAt("127.0.0.1")).toBe(200);
      expect(await statusAt(host)).toBe("refused");
      const [link = ""] = /http:\S+\/setup\?token=\S+/.exec(first.printed) ?? [];
      const { origin, searchParams } = new URL(link);
      expect(origin).toBe(`http://127.0.0.1:${port}`);
      const made = await request.post(`${origin}/api/console/setup`, {
        data: {
          token: searchParams.get("token"),
          name: "First",
          email: "first@posthorn.example",
          password: e2ePassword(),
        },
      });
      expect(made.status()).toBe(204);
      expect(await statusAt(host)).toBe("refused");
    } finally {
      await first.stop();
    }
    const second = await start(env);
    try {
      expect(second.printed).not.toContain("/setup?token=");
      expect(await statusAt(host)).toBe(200);
      expect(await statusAt("127.0.0.1")).toBe("refused");
    } finally {
      await second.stop();
    }
  } finally {
    await rm(dataDir, { recursive: true, force: true });
  }
});
