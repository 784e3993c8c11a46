import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, expect } from "vitest";
import { dropTestDatabases } from "./postgres.ts";

/**
 * A set-up file of the integration tests: fails a test file that leaves a worker, server, timer, child process
 * or database connection behind. Registered before the file's own hooks, it runs after them.
 */
const watched = [
  "TCPServerWrap",
  "TCPSocketWrap",
  "TLSWrap",
  "PipeWrap",
  "ProcessWrap",
  "Timeout",
  "FSEventWrap",
];
const baseline = countResources();

afterAll(async () => {
  const connections = await dropTestDatabases();
  expect(connections, "connections that outlive the test file").toEqual([]);
  expect(await settledLeaks(), "handles that outlive the test file").toEqual({});
});

/** What is closing gets two seconds. */
async function settledLeaks(): Promise<Record<string, number>> {
  let leaks = findLeaks();
  for (let attempt = 0; attempt < 40 && Object.keys(leaks).length > 0; attempt++) {
    await sleep(50);
    leaks = findLeaks();
  }
  return leaks;
}

function findLeaks(): Record<string, number> {
  const now = countResources();
  const more = watched.map((name) => [name, (now[name] ?? 0) - (baseline[name] ?? 0)] as const);
  return Object.fromEntries(more.filter(([, count]) => count > 0));
}

function countResources(): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const name of process.getActiveResourcesInfo()) counts[name] = (counts[name] ?? 0) + 1;
  return counts;
}
