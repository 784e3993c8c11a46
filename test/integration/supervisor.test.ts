import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import path from "node:path";
import type { Readable } from "node:stream";
import { afterEach, expect, test } from "vitest";
import { createSupervisor, type Service } from "#scripts/supervisor.ts";

const untilKilled = "setInterval(() => {}, 1000)";

const allChildren: ChildProcess[] = [];

afterEach(() => {
  for (const child of allChildren.splice(0)) child.kill("SIGKILL");
});

/** A process that runs `code`, with a record of its starts. */
function service(name: string, code: string, more: Partial<Service> = {}) {
  const children: ChildProcess[] = [];
  const startedMs: number[] = [];
  return {
    name,
    children,
    startedMs,
    start: async () => {
      const child = spawn(process.execPath, ["-e", code], {
        stdio: ["ignore", "pipe", "ignore"],
      });
      await once(child, "spawn");
      children.push(child);
      allChildren.push(child);
      startedMs.push(performance.now());
      return child;
    },
    stopSignal: "SIGTERM",
    stopWithinSeconds: 10,
    lastSignal: "SIGKILL",
    ...more,
  } satisfies Service & { children: ChildProcess[]; startedMs: number[] };
}

function hasEnded(child: ChildProcess | undefined): boolean {
  return child !== undefined && (child.exitCode !== null || child.signalCode !== null);
}

async function until(condition: () => boolean): Promise<void> {
  await expect.poll(condition, { timeout: 10_000, interval: 10 }).toBe(true);
}

test("one that dies is started again, after a pause that doubles", async () => {
  const reports: string[] = [];
  const supervisor = createSupervisor({ report: (line) => reports.push(line), firstPauseMs: 100 });
  const worker = service("worker", untilKilled);
  await supervisor.run(worker);

  for (const starts of [1, 2]) {
    worker.children.at(-1)?.kill("SIGKILL");
    await until(() => worker.children.length === starts + 1);
  }
  expect(reports).toEqual([
    "The worker was ended by SIGKILL; starting it again in 0.1 s",
    "The worker was ended by SIGKILL; starting it again in 0.2 s",
  ]);
  const [first = 0, second = 0, third = 0] = worker.startedMs;
  expect(second - first).toBeGreaterThanOrEqual(99);
  expect(third - second).toBeGreaterThanOrEqual(199);

  await supervisor.stop();
  expect(await supervisor.done).toBe("stopped");
  expect(worker.children.every(hasEnded)).toBe(true);
});

test("five deaths within a minute end everything", async () => {
  const reports: string[] = [];
  const supervisor = createSupervisor({
    report: (line) => reports.push(line),
    firstPauseMs: 1,
    longestPauseMs: 4,
  });
  const web = service("web process", untilKilled);
  const worker = service("worker", "process.exit(3)");
  await supervisor.run(web);
  await supervisor.run(worker);

  expect(await supervisor.done).toBe("gave up");
  expect(worker.children).toHaveLength(5);
  expect(reports.at(-1)).toContain("The worker died 5 times within a minute (it ended with code 3)");
  expect(hasEnded(web.children[0])).toBe(true);
});

test("a start that fails counts as a death, at the first time it is passed on", async () => {
  const supervisor = createSupervisor({ report: () => {}, firstPauseMs: 1 });
  const refused = service("worker", "", { start: () => Promise.reject(new Error("no such program")) });
  await expect(supervisor.run(refused)).rejects.toThrow("no such program");

  let starts = 0;
  const once = service("database", untilKilled);
  await supervisor.run({
    ...once,
    start: () => (starts++ === 0 ? once.start() : Promise.reject(new Error("still locked"))),
  });
  once.children[0]?.kill("SIGKILL");
  expect(await supervisor.done).toBe("gave up");
});

test("what was started last is stopped first, and what does not listen is killed", async () => {
  const supervisor = createSupervisor({ report: () => {} });
  const deaf = `process.on("SIGTERM", () => {}); console.log("deaf"); ${untilKilled}`;
  const database = service("database", untilKilled);
  const worker = service("worker", deaf, { stopWithinSeconds: 0.2 });
  await supervisor.run(database);
  await supervisor.run(worker);
  await once(worker.children[0]?.stdout as Readable, "data");

  const ended: string[] = [];
  database.children[0]?.once("exit", () => ended.push("database"));
  worker.children[0]?.once("exit", (_code, signal) => ended.push(`worker by ${signal}`));
  await supervisor.stop();
  expect(ended).toEqual(["worker by SIGKILL", "database"]);
});

test("stopping while one is being started again leaves no process", async () => {
  const supervisor = createSupervisor({ report: () => {}, firstPauseMs: 1 });
  const slow = service("database", untilKilled);
  const gate = Promise.withResolvers<void>();
  let starts = 0;
  await supervisor.run({
    ...slow,
    start: async () => {
      if (++starts === 2) await gate.promise;
      return slow.start();
    },
  });
  slow.children[0]?.kill("SIGKILL");
  await until(() => starts === 2);
  const stopped = supervisor.stop();
  gate.resolve();
  await stopped;
  expect(slow.children).toHaveLength(2);
  expect(slow.children.every(hasEnded)).toBe(true);
});

test("a child notices that its supervisor was killed, and ends in good order", async () => {
  const preload = path.join(import.meta.dirname, "../../scripts/exit-with-parent.ts");
  const child = `process.on("SIGTERM", () => { console.log("ended in good order"); process.exit(0); }); ${untilKilled}`;
  const parent = `
    const { spawn } = require("node:child_process");
    spawn(process.execPath, ["--import", ${JSON.stringify(preload)}, "-e", ${JSON.stringify(child)}], {
      detached: true, stdio: "inherit", env: { ...process.env, POSTHORN_SUPERVISOR_PID: String(process.pid) },
    }).once("spawn", () => setTimeout(() => console.log("started"), 300));
    ${untilKilled}`;
  const supervisor = spawn(process.execPath, ["-e", parent], { stdio: ["ignore", "pipe", "inherit"] });
  let output = "";
  supervisor.stdout.on("data", (chunk) => {
    output += chunk;
  });
  await until(() => output.includes("started"));
  supervisor.kill("SIGKILL");
  // Both hold the pipe: it closes when the last of them has ended.
  await once(supervisor.stdout, "close");
  expect(output).toContain("ended in good order");
});
