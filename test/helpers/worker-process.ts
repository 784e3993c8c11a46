import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import path from "node:path";
import { createInterface } from "node:readline";

export const allowedSubnets = ["127.0.0.0/8", "::1/128"];
const root = path.resolve(import.meta.dirname, "../..");
const linesKept = 200;

export type WorkerProcess = {
  child: ChildProcess;
  /** Its row in `workers`. */
  id: string;
  /** The latest lines of its log. */
  log: () => string[];
  /** Sends the signal, unless it has ended already, and waits for the end. Resolves with the exit code, or the signal. */
  end: (signal: "SIGTERM" | "SIGKILL") => Promise<number | NodeJS.Signals | null>;
};

/**
 * Starts `worker/main.ts` as in production, and resolves once it works. It ends by itself when the process that
 * started it dies. `preload`: a module that is loaded before it.
 */
export async function startWorkerProcess(options: {
  databaseUrl: string;
  secretKey: Buffer;
  slots?: number;
  preload?: string;
  /** Hears every piece of what it writes, also to stderr, and has it log all there is. */
  onOutput?: (text: string) => void;
  /** The process from its first moment on, so that it can be ended even while it starts. */
  onSpawn?: (child: ChildProcess) => void;
}): Promise<WorkerProcess> {
  const { onOutput } = options;
  const preloads = ["./scripts/exit-with-parent.ts", options.preload ?? []].flat();
  const child = spawn(
    process.execPath,
    [...preloads.flatMap((module) => ["--import", module]), "worker/main.ts"],
    {
      cwd: root,
      env: {
        ...process.env,
        DATABASE_URL: options.databaseUrl,
        POSTHORN_SECRET_KEY: options.secretKey.toString("base64"),
        POSTHORN_ALLOWED_SUBNETS: allowedSubnets.join(","),
        POSTHORN_ALLOW_HTTP: "true",
        POSTHORN_LOG_LEVEL: onOutput ? "trace" : "info",
        POSTHORN_SUPERVISOR_PID: String(process.pid),
        ...(options.slots ? { POSTHORN_WORKER_SLOTS: String(options.slots) } : {}),
      },
      stdio: ["ignore", "pipe", onOutput ? "pipe" : "inherit"],
    },
  );
  for (const stream of onOutput ? [child.stdout, child.stderr] : []) {
    stream?.on("data", (bytes) => onOutput?.(String(bytes)));
  }
  options.onSpawn?.(child);
  const ended = once(child, "exit");
  const lines: string[] = [];
  const id = await new Promise<string>((resolve, reject) => {
    // Read to the end: a worker that cannot write its log would stop.
    createInterface({ input: child.stdout as NodeJS.ReadableStream }).on("line", (line) => {
      lines.push(line);
      if (lines.length > linesKept) lines.shift();
      if (line.includes('"worker started"')) resolve(JSON.parse(line).workerId);
    });
    child.once("error", reject);
    void ended.then(() => reject(new Error(`the worker ended before it started:\n${lines.join("\n")}`)));
  });
  return {
    child,
    id,
    log: () => [...lines],
    end: async (signal) => {
      if (child.exitCode === null && child.signalCode === null) {
        child.kill(signal);
        await ended;
      }
      return child.exitCode ?? child.signalCode;
    },
  };
}
