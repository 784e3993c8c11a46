import { defineConfig } from "vitest/config";

/** What `npm run mutate` runs against each mutant of lib/delivery: its own tests, and no database. */
export default defineConfig({ test: { include: ["test/{unit,property}/delivery/**/*.test.ts"] } });
