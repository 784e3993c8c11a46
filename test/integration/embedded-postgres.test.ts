import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm, stat, writeFile } from "node:fs/promises";
import net from "node:net";
import os from "node:os";
import path from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import pg from "pg";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type EmbeddedPostgres, startEmbeddedPostgres, stopPostgres } from "#scripts/embedded-postgres.ts";

let dataDir: string;

beforeAll(async () => {
  dataDir = await mkdtemp(path.join(os.tmpdir(), "posthorn-embedded-"));
  await using server = await start();
  await query(server, "create table kept (value text)");
});

afterAll(() => rm(dataDir, { recursive: true, force: true }));

type Started = EmbeddedPostgres & AsyncDisposable & { latest: ChildProcess };

async function start(port?: number): Promise<Started> {
  const server = await startEmbeddedPostgres({ dataDir, port });
  const started: Started = {
    ...server,
    latest: server.process,
    [Symbol.asyncDispose]: async () => {
      await stopPostgres(started.latest);
      await server.release();
    },
  };
  return started;
}

async function query(server: { url: string }, text: string): Promise<unknown[]> {
  const client = new pg.Client({ connectionString: server.url });
  // Its server may be killed; a query that this hits rejects anyway.
  client.on("error", () => {});
  await client.connect();
  try {
    return (await client.query(text)).rows;
  } finally {
    await client.end();
  }
}

test("data and password are kept, for their owner alone, and the role is no superuser", async () => {
  await using server = await start();
  const [role] = await query(
    server,
    "select current_user as name, rolsuper from pg_roles where rolname = current_user",
  );
  expect(role).toEqual({ name: "posthorn", rolsuper: false });
  const url = new URL(server.url);
  expect(url.hostname).toBe("127.0.0.1");
  const { mode } = await stat(path.join(dataDir, "database-password"));
  expect(mode & 0o777).toBe(0o600);
  await expect(query({ url: server.url.replace(url.password, "wrong") }, "select")).rejects.toThrow(
    "password",
  );
});

test("a second start on the same folder is refused, and disturbs nothing", async () => {
  await using server = await start();
  await expect(start()).rejects.toThrow(
    /is in use by another running Posthorn; stop that one, or set POSTHORN_DATA_DIR/,
  );
  expect(await query(server, "select 1 as one")).toEqual([{ one: 1 }]);
});

test("a folder that cannot be made is named, with its variable, also where no folder can be", async () => {
  await expect(startEmbeddedPostgres({ dataDir: "/proc/nowhere/deeper" })).rejects.toThrow(
    "/proc/nowhere/deeper cannot be written (ENOENT): set POSTHORN_DATA_DIR to a folder that can",
  );
});

test("a port that is taken is named, with its variable", async () => {
  const other = net.createServer();
  await once(other.listen(0, "127.0.0.1"), "listening");
  const { port } = other.address() as net.AddressInfo;
  await expect(start(port)).rejects.toThrow(`Port ${port} is taken: free it, or set POSTHORN_DATABASE_PORT`);
  await new Promise((resolve) => other.close(resolve));
});

test("the server of a killed supervisor is stopped, and nothing committed is lost", async () => {
  const module = path.join(import.meta.dirname, "../../scripts/embedded-postgres.ts");
  const supervisor = spawn(
    process.execPath,
    [
      "--input-type=module",
      "-e",
      `const { startEmbeddedPostgres } = await import(${JSON.stringify(module)});
       const { url, process: server } = await startEmbeddedPostgres({ dataDir: ${JSON.stringify(dataDir)} });
       console.log(JSON.stringify({ url, pid: server.pid }));
       setInterval(() => {}, 1000);`,
    ],
    { stdio: ["ignore", "pipe", "inherit"] },
  );
  const [line] = await once(supervisor.stdout, "data");
  const orphan = JSON.parse(String(line)) as { url: string; pid: number };
  await query(orphan, "insert into kept values ('by the orphan')");
  supervisor.kill("SIGKILL");
  await once(supervisor, "exit");
  expect(() => process.kill(orphan.pid, 0)).not.toThrow();

  await using server = await start();
  expect(server.process.pid).not.toBe(orphan.pid);
  expect(await query(server, "select value from kept")).toContainEqual({ value: "by the orphan" });
});

test("a server that was killed under load is started again on its port, and recovers", async () => {
  await using server = await start();
  await query(server, "insert into kept values ('before the crash')");
  // What computes does not notice the death of its master, and PostgreSQL refuses to start beside it.
  const computing = query(server, "select count(*) from generate_series(1, 50000000)").catch(() => {});
  await sleep(100);
  server.latest.kill("SIGKILL");
  await once(server.latest, "exit");
  server.latest = await server.start();
  await computing;
  expect(await query(server, "select value from kept")).toContainEqual({ value: "before the crash" });
});

test("a lock file whose process id belongs to a stranger by now is no obstacle", async () => {
  const folder = path.join(dataDir, "postgres");
  // PostgreSQL believes in a process of its own user only.
  const { uid, gid } = await stat(folder);
  const stranger = spawn("sleep", ["60"], { stdio: "ignore", ...(process.getuid?.() === 0 && { uid, gid }) });
  await once(stranger, "spawn");
  await writeFile(path.join(folder, "postmaster.pid"), `${stranger.pid}\n${folder}\n0\n5432\n\n\n\nready\n`);
  {
    await using server = await start();
    expect(await query(server, "select 1 as one")).toEqual([{ one: 1 }]);
  }
  expect(stranger.exitCode).toBeNull();
  stranger.kill();
  await once(stranger, "exit");
});

test("a lost password is replaced", async () => {
  await rm(path.join(dataDir, "database-password"));
  await using server = await start();
  expect(await query(server, "select 1 as one")).toEqual([{ one: 1 }]);
});
