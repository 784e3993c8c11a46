import { execFile } from "node:child_process";
import path from "node:path";
import { promisify } from "node:util";
import { expect, test } from "vitest";

const run = promisify(execFile);
const root = path.resolve(import.meta.dirname, "../..");

/** One code for the short form and for `npm run test:chaos`: what it found wrong, it says itself. */
test("case 32: nothing is lost and little repeated while workers are killed and PostgreSQL restarts", async () => {
  const flags = ["--json", "--seed", "7", "--events", "600", "--kills", "3", "--restarts", "1"];
  const env = { ...process.env, POSTHORN_LOG_LEVEL: "" };
  const { stdout } = await run(process.execPath, ["test/chaos/chaos.ts", ...flags], { cwd: root, env }).catch(
    (error) => {
      throw new Error(`${error.stdout}\n${error.stderr}`);
    },
  );
  const findings = JSON.parse(stdout);
  expect(findings).toMatchObject({
    accepted: 600,
    received: 600,
    lost: 0,
    kills: 3,
    stops: 1,
    restarts: 1,
    disagreements: [],
  });
  expect(findings.largest_in_flight_at_kill).toBeGreaterThan(0);
}, 240_000);
