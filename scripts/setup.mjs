// Installs the exact packages of package-lock.json unless they are there. Runs before every command, on the
// host's own Node.js, before anything is installed: so plain JavaScript, and nothing but Node.js itself.
import { spawnSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("..", import.meta.url));

if (!isInstalled()) {
  console.error("Installing packages");
  const exitCode = install();
  if (exitCode !== 0) {
    console.error(
      `The packages could not be installed (npm ci ended with ${exitCode}); the lines above say why`,
    );
    process.exit(1);
  }
}

function install() {
  const npm = process.env.npm_execpath;
  const [command, args] = npm ? [process.execPath, [npm]] : ["npm", []];
  const { status, signal, error } = spawnSync(
    command,
    [...args, "ci", "--no-audit", "--no-fund", "--loglevel=error"],
    {
      cwd: root,
      // npm's own output goes beside what the command itself prints.
      stdio: ["ignore", 2, 2],
      // Tests and builds need the development packages, whatever the host sets.
      env: { ...process.env, NODE_ENV: "development", npm_config_omit: "" },
    },
  );
  return status ?? signal ?? error?.code;
}

/** npm keeps a list of what it has installed; it must hold what the lock file asks of this system. */
function isInstalled() {
  const wanted = packagesOf("package-lock.json");
  const present = packagesOf("node_modules/.package-lock.json");
  if (!wanted || !present || !existsSync(path.join(root, "node_modules/node/bin/node"))) return false;
  const differs = ([place, { version, optional }]) =>
    place !== "" && present[place]?.version !== version && !(optional && !present[place]);
  return !Object.entries(wanted).some(differs) && Object.keys(present).every((place) => place in wanted);
}

function packagesOf(file) {
  try {
    return JSON.parse(readFileSync(path.join(root, file), "utf8")).packages;
  } catch {
    return undefined;
  }
}
