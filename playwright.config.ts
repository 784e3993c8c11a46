import { generateKeyPairSync, randomBytes } from "node:crypto";
import { defineConfig, devices } from "@playwright/test";
import { adminStateFile } from "./e2e/signed-in.ts";
import { chromiumArguments, findChromium } from "./scripts/chromium.ts";
import { freePort } from "./scripts/ports.ts";

// Playwright reads this file in every worker: what is chosen at random goes through the environment.
process.env.POSTHORN_E2E_PORT ??= String(await freePort());
// Where the test of single sign-on has its identity provider.
process.env.POSTHORN_E2E_OIDC_PORT ??= String(await freePort());
process.env.POSTHORN_E2E_OIDC_SECRET ??= randomBytes(24).toString("hex");
process.env.POSTHORN_E2E_OIDC_KEY ??= signingKey();
process.env.POSTHORN_E2E_API_KEY ??= randomBytes(24).toString("hex");
process.env.POSTHORN_E2E_PASSWORD ??= randomBytes(12).toString("hex");
const port = process.env.POSTHORN_E2E_PORT;
const baseURL = `http://127.0.0.1:${port}`;
const executablePath = findChromium();

export default defineConfig({
  testDir: "e2e",
  // The tests share one system; each makes what it needs under names of its own.
  fullyParallel: true,
  // They wait for much of the time: for workers that look every few seconds, for statements that run into their time.
  workers: 3,
  // Shown as flaky, and counted as passed: on a busy machine a browser may miss its time once.
  retries: 1,
  forbidOnly: Boolean(process.env.CI),
  timeout: 90_000,
  expect: { timeout: 30_000 },
  reporter: [["list"], ["json", { outputFile: "test-results/e2e.json" }]],
  outputDir: "test-results/e2e",
  projects: [
    // Takes the set-up link, and keeps the first admin's session for all the others.
    { name: "first-admin", testMatch: /first-admin\.setup\.ts$/ },
    { name: "console", dependencies: ["first-admin"], use: { storageState: adminStateFile } },
  ],
  use: {
    ...devices["Desktop Chrome"],
    baseURL,
    actionTimeout: 30_000,
    // Of every test it would cost a third of the time, most of it pictures of what moves.
    trace: "on-first-retry",
    contextOptions: { reducedMotion: "reduce" },
    launchOptions: { args: chromiumArguments(), ...(executablePath && { executablePath }) },
  },
  webServer: {
    command: "node scripts/e2e-system.ts",
    url: `${baseURL}/healthz`,
    env: {
      PORT: port,
      POSTHORN_API_KEY: process.env.POSTHORN_E2E_API_KEY,
      // The receivers of the tests listen on loopback.
      POSTHORN_ALLOWED_SUBNETS: "127.0.0.0/8",
      POSTHORN_ALLOW_HTTP: "true",
      POSTHORN_OIDC_ISSUER: `http://127.0.0.1:${process.env.POSTHORN_E2E_OIDC_PORT}`,
      POSTHORN_OIDC_CLIENT_ID: "posthorn",
      POSTHORN_OIDC_CLIENT_SECRET: process.env.POSTHORN_E2E_OIDC_SECRET,
      POSTHORN_SOURCE_ADDRESSES: "192.0.2.10",
      POSTHORN_APPROVE_HOST_CHANGES: "true",
      POSTHORN_LOG_LEVEL: "warn",
    },
    stdout: "pipe",
    stderr: "pipe",
    timeout: 300_000,
    gracefulShutdown: { signal: "SIGTERM", timeout: 60_000 },
  },
});

/** The system keeps what it has seen of it, so that it is the same for every test, and when one is tried again. */
function signingKey(): string {
  const { privateKey } = generateKeyPairSync("rsa", { modulusLength: 2_048 });
  return privateKey.export({ type: "pkcs8", format: "pem" }).toString();
}
