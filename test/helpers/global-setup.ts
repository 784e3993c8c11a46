import { mkdtemp, rm } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import pg from "pg";
import type { TestProject } from "vitest/node";
import { migrate } from "#drizzle/migrate.ts";
import { startEmbeddedPostgres, stopPostgres } from "#scripts/embedded-postgres.ts";

declare module "vitest" {
  interface ProvidedContext {
    /** Of a database in which nothing is kept; `createTestDatabase` makes others from there. */
    postgresUrl: string;
  }
}

/** One PostgreSQL for the whole run, with the migrated database that every test file gets a copy of. */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const folder = await mkdtemp(path.join(os.tmpdir(), "posthorn-test-"));
  // The data is thrown away, so nothing of it needs to survive a crash.
  const settings = {
    fsync: "off",
    synchronous_commit: "off",
    full_page_writes: "off",
    shared_buffers: "256MB",
  };
  const postgres = await startEmbeddedPostgres({ dataDir: folder, settings });
  await makeTemplate(postgres.url);
  project.provide("postgresUrl", postgres.url);
  return async () => {
    await stopPostgres(postgres.process);
    await postgres.release();
    await rm(folder, { recursive: true, force: true });
  };
}

async function makeTemplate(postgresUrl: string): Promise<void> {
  const client = new pg.Client(postgresUrl);
  await client.connect();
  await client.query("create database posthorn_template");
  await client.end();
  const url = new URL(postgresUrl);
  url.pathname = "/posthorn_template";
  await migrate(url.href);
}
