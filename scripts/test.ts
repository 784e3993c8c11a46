import { type ChildProcess, spawn } from "node:child_process";
import { mkdir, readFile, rm } from "node:fs/promises";
import path from "node:path";
import { ensureChromium } from "./chromium.ts";

type Counts = { passed: number; failed: number };
type Step = {
  name: string;
  command: string;
  args: string[];
  /** False when the step cannot be run. */
  prepare?: () => boolean;
  /** Where a test runner writes its report, and how to count in it. A step without tests counts as one. */
  report?: { file: string; count: (report: never) => Counts };
  /** Part of `npm run verify`. */
  quick?: true;
};

const root = path.join(import.meta.dirname, "..");
const reports = path.join(root, "test-results");

const steps: Step[] = [
  { name: "format", command: "biome", args: ["check", "--linter-enabled=false"], quick: true },
  { name: "lint", command: "biome", args: ["lint", "--error-on-warnings"], quick: true },
  { name: "types", command: "npm", args: ["run", "--silent", "types"], quick: true },
  { name: "knip", command: "knip", args: [], quick: true },
  { ...vitest("unit"), quick: true },
  vitest("integration"),
  { name: "build", command: "node", args: ["scripts/build.ts"] },
  {
    name: "e2e",
    command: "playwright",
    args: ["test"],
    prepare: ensureChromium,
    report: { file: path.join(reports, "e2e.json"), count: countPlaywright },
  },
];

let current: ChildProcess | undefined;
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) {
  process.on(signal, () => {
    current?.kill(signal);
    process.exit(1);
  });
}

const quickOnly = process.argv[2] === "quick";
const total: Counts = { passed: 0, failed: 0 };
for (const step of steps.filter(({ quick }) => quick || !quickOnly)) {
  console.log(`\n── ${step.name}`);
  const { passed, failed } = await runStep(step);
  total.passed += passed;
  total.failed += failed;
}
console.log(`\n${total.passed} passed, ${total.failed} failed`);
process.exitCode = total.failed > 0 ? 1 : 0;

async function runStep({ command, args, prepare, report }: Step): Promise<Counts> {
  await mkdir(reports, { recursive: true });
  if (report) await rm(report.file, { force: true });
  const succeeded = (prepare?.() ?? true) && (await succeeds(command, args));
  const counts = report ? await readCounts(report) : { passed: succeeded ? 1 : 0, failed: 0 };
  // A runner can fail without a failed test: a file that does not load, a leak, no tests at all.
  if (!succeeded && counts.failed === 0) counts.failed = 1;
  return counts;
}

function succeeds(command: string, args: string[]): Promise<boolean> {
  const bin = path.join(root, "node_modules", ".bin");
  const env = { ...process.env, PATH: `${bin}${path.delimiter}${process.env.PATH}` };
  const child = spawn(command, args, { cwd: root, env, stdio: ["ignore", "inherit", "inherit"] });
  current = child;
  return new Promise((resolve) => {
    child.once("error", (error) => {
      console.error(error.message);
      resolve(false);
    });
    child.once("close", (code) => resolve(code === 0));
  });
}

async function readCounts({ file, count }: NonNullable<Step["report"]>): Promise<Counts> {
  try {
    return count(JSON.parse(await readFile(file, "utf8")) as never);
  } catch {
    return { passed: 0, failed: 0 };
  }
}

function vitest(project: string): Step {
  const file = path.join(reports, `${project}.json`);
  return {
    name: project,
    command: "vitest",
    args: ["run", "--project", project, "--reporter=default", "--reporter=json", `--outputFile.json=${file}`],
    report: { file, count: countVitest },
  };
}

function countVitest(report: { numPassedTests: number; numFailedTests: number }): Counts {
  return { passed: report.numPassedTests, failed: report.numFailedTests };
}

/** A flaky test failed once: it counts as failed. */
function countPlaywright({
  stats,
}: {
  stats: { expected: number; unexpected: number; flaky: number };
}): Counts {
  return { passed: stats.expected, failed: stats.unexpected + stats.flaky };
}
