import { spawnSync } from "node:child_process";
import { accessSync, constants, existsSync } from "node:fs";
import path from "node:path";
import { chromium } from "@playwright/test";

/** The first has no windows: toolbars of the others, which nobody sees, cost about as much as the pages in them. */
const names = [
  "chromium-headless-shell",
  "chromium",
  "chromium-browser",
  "google-chrome-stable",
  "google-chrome",
];

/** Arguments for any Chromium of ours: nothing but the pages under test reaches the network. */
export function chromiumArguments(): string[] {
  const usual = [
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
  ];
  return process.getuid?.() === 0 ? ["--no-sandbox", ...usual] : usual;
}

/** The host's own Chromium, or the one that Playwright has downloaded. */
export function findChromium(): string | undefined {
  const folders = [...(process.env.PATH ?? "").split(path.delimiter), "/usr/bin"];
  const candidates = names.flatMap((name) => folders.map((folder) => path.join(folder, name)));
  return [...candidates, chromium.executablePath()].find(isProgram);
}

/** Finds or installs Chromium; returns false, having said why, when that cannot be. */
export function ensureChromium(): boolean {
  if (findChromium()) return true;
  const minutes = 10;
  const run = (command: string, ...args: string[]) =>
    spawnSync(command, args, {
      stdio: "inherit",
      timeout: minutes * 60_000,
      env: { ...process.env, DEBIAN_FRONTEND: "noninteractive" },
    }).status === 0;
  console.log("There is no Chromium yet: installing one");
  run("playwright", "install", "chromium");
  if (!findChromium() && process.getuid?.() === 0 && existsSync("/usr/bin/apt-get")) {
    const install = (name: string) => run("apt-get", "install", "-y", "--no-install-recommends", name);
    // Older releases of Debian have no package of the first.
    run("apt-get", "update") && (install("chromium-headless-shell") || install("chromium"));
  }
  if (findChromium()) return true;
  console.error("No Chromium was found, and none could be installed: put one on the PATH");
  return false;
}

function isProgram(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
