import { defineConfig } from "vitest/config";

const env = { POSTHORN_LOG_LEVEL: "silent" };

export default defineConfig({
  test: {
    projects: [
      { test: { name: "unit", include: ["test/{unit,property}/**/*.test.ts"], env } },
      {
        test: {
          name: "integration",
          include: ["test/integration/**/*.test.ts"],
          env,
          globalSetup: "test/helpers/global-setup.ts",
          setupFiles: "test/helpers/leaks.ts",
          pool: "forks",
          // They wait for most of the time: for leases, timeouts, processes that are killed.
          maxWorkers: 3,
          testTimeout: 30_000,
          hookTimeout: 60_000,
        },
      },
    ],
  },
});
