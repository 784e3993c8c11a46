import { spawn } from "node:child_process";
import { createHash } from "node:crypto";
import { readdir, readFile, rm, writeFile } from "node:fs/promises";
import path from "node:path";
import { StartError } from "./start-error.ts";

const root = path.join(import.meta.dirname, "..");
const stampFile = path.join(root, ".next", "posthorn-sources");
const sources = [
  "app",
  "components",
  "lib",
  "drizzle/schema",
  "instrumentation.ts",
  "next.config.ts",
  "postcss.config.mjs",
  "proxy.ts",
  "package-lock.json",
];

/** Builds the web part unless there is a build of exactly these sources. Throws `StartError` with the output. */
export async function buildIfNeeded(options: { onBuild: () => void; signal: AbortSignal }): Promise<void> {
  const hash = await hashSources();
  const built = await readFile(stampFile, "utf8").catch(() => "");
  if (built === hash) return;
  options.onBuild();
  await rm(stampFile, { force: true });
  await runBuild(options.signal);
  await writeFile(stampFile, hash);
}

async function runBuild(signal: AbortSignal): Promise<void> {
  const child = spawn(process.execPath, [path.join(root, "node_modules/next/dist/bin/next"), "build"], {
    cwd: root,
    env: { ...process.env, NODE_ENV: "production", NEXT_TELEMETRY_DISABLED: "1" },
    stdio: ["ignore", "pipe", "pipe"],
    signal,
    killSignal: "SIGTERM",
  });
  let output = "";
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding("utf8").on("data", (text: string) => {
      output += text;
    });
  }
  const code = await new Promise((resolve, reject) => child.once("error", reject).once("close", resolve));
  if (code !== 0)
    throw new StartError(`${output.trimEnd()}\nThe console could not be built; the lines above say why`);
}

async function hashSources(): Promise<string> {
  const hash = createHash("sha256");
  for (const source of sources) {
    for (const file of await filesOf(path.join(root, source))) {
      hash
        .update(`${path.relative(root, file)}\0`)
        .update(await readFile(file))
        .update("\0");
    }
  }
  return hash.digest("hex");
}

async function filesOf(place: string): Promise<string[]> {
  try {
    const entries = await readdir(place, { recursive: true, withFileTypes: true });
    return entries
      .filter((entry) => entry.isFile())
      .map((entry) => path.join(entry.parentPath, entry.name))
      .sort();
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === "ENOTDIR") return [place];
    if (code === "ENOENT") return [];
    throw error;
  }
}

if (import.meta.main) {
  try {
    await buildIfNeeded({ onBuild: () => console.log("Building"), signal: new AbortController().signal });
    console.log("The build is up to date");
  } catch (error) {
    console.error(error instanceof StartError ? error.message : error);
    process.exit(1);
  }
}
