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
  /** The step whose end it waits for; null to start at once. */
  after: string | null;
  /** Part of `npm run verify`. */
  quick?: true;
};

const root = path.join(import.meta.dirname, "..");
const reports = path.join(root, "test-results");

// Two lanes, since integration tests wait for most of their time: while they run, the console is built and tried.
const steps: Step[] = [
  { name: "format", command: "biome", args: ["check", "--linter-enabled=false"], after: null, quick: true },
  { name: "lint", command: "biome", args: ["lint", "--error-on-warnings"], after: "format", quick: true },
  { name: "types", command: "npm", args: ["run", "--silent", "types"], after: "lint", quick: true },
  { name: "knip", command: "knip", args: [], after: "types", quick: true },
  { ...vitest("unit"), after: "knip", quick: true },
  { ...vitest("integration"), after: "unit" },
  // Types are made in the same folder.
  { name: "build", command: "node", args: ["scripts/build.ts"], after: "types" },
  {
    name: "e2e",
    command: "playwright",
    args: ["test"],
    after: "build",
    prepare: ensureChromium,
    report: { file: path.join(reports, "e2e.json"), count: countPlaywright },
  },
];

const running = new Set<ChildProcess>();
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) {
  process.on(signal, () => {
    for (const child of running) child.kill(signal);
    process.exit(1);
  });
}

const quickOnly = process.argv[2] === "quick";
const chosen = steps.filter(({ quick }) => quick || !quickOnly);
const printers = inTurn(chosen.length);
const ends = new Map<string, Promise<Counts>>();
for (const [at, step] of chosen.entries()) ends.set(step.name, runInOrder(step, printers[at] as Printer));
const total: Counts = { passed: 0, failed: 0 };
for (const { passed, failed } of await Promise.all(ends.values())) {
  total.passed += passed;
  total.failed += failed;
}
console.log(`\n${total.passed} passed, ${total.failed} failed`);
process.exitCode = total.failed > 0 ? 1 : 0;

async function runInOrder(step: Step, printer: Printer): Promise<Counts> {
  if (step.after !== null) await ends.get(step.after);
  const startedAt = performance.now();
  printer.print(`\n── ${step.name}\n`);
  const counts = await runStep(step, printer);
  const seconds = Math.round((performance.now() - startedAt) / 1_000);
  printer.end(`── ${step.name}: ${counts.failed > 0 ? "failed" : "passed"} in ${seconds} s\n`);
  return counts;
}

async function runStep({ command, args, prepare, report }: Step, printer: Printer): Promise<Counts> {
  await mkdir(reports, { recursive: true });
  if (report) await rm(report.file, { force: true });
  const succeeded = (prepare?.() ?? true) && (await succeeds([command, ...args], printer));
  const counts = report ? await readCounts(report) : { passed: succeeded ? 1 : 0, failed: 0 };
  // A runner can fail without a failed test: a file that does not load, a leak, no tests at all.
  if (!succeeded && counts.failed === 0) counts.failed = 1;
  return counts;
}

function succeeds([command = "", ...args]: string[], { print }: Printer): Promise<boolean> {
  const bin = path.join(root, "node_modules", ".bin");
  const env = { ...process.env, PATH: `${bin}${path.delimiter}${process.env.PATH}` };
  const child = spawn(command, args, { cwd: root, env, stdio: ["ignore", "pipe", "pipe"] });
  running.add(child);
  child.stdout.setEncoding("utf8").on("data", print);
  child.stderr.setEncoding("utf8").on("data", print);
  return new Promise<boolean>((resolve) => {
    child.once("error", (error) => {
      print(`${error.message}\n`);
      resolve(false);
    });
    child.once("close", (code) => resolve(code === 0));
  }).finally(() => running.delete(child));
}

type Printer = { print: (text: string) => void; end: (text: string) => void };

/** Printers of which the first that has not ended writes at once, and those after it when their turn comes. */
function inTurn(count: number): Printer[] {
  const kept = Array.from({ length: count }, () => ({ text: "", hasEnded: false }));
  let turn = 0;
  return kept.map((own, at) => {
    const print = (text: string) => {
      if (at === turn) process.stdout.write(text);
      else own.text += text;
    };
    const end = (text: string) => {
      print(text);
      own.hasEnded = true;
      while (kept[turn]?.hasEnded) {
        turn += 1;
        process.stdout.write(kept[turn]?.text ?? "");
      }
    };
    return { print, end };
  });
}

async function readCounts({ file, count }: NonNullable<Step["report"]>): Promise<Counts> {
  try {
    return count(JSON.parse(await readFile(file, "utf8")) as never);
  } catch {
    return { passed: 0, failed: 0 };
  }
}

function vitest(project: string): Omit<Step, "after"> {
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
  return { passed: stats.expected + stats.flaky, failed: stats.unexpected };
}
