import { randomUUID } from "node:crypto";
import { link, readFile, rm, writeFile } from "node:fs/promises";
import net from "node:net";
import path from "node:path";
import { errorCode, StartError } from "./start-error.ts";

export type FolderLock = { release: () => Promise<void> };
type Holder = { pid: number; port: number; token: string };

/**
 * Makes this process the only one that works in `folder`. Throws `StartError` while another one does.
 * The holder answers with its token on a loopback port: unlike a process id, that cannot outlive the holder
 * or be taken over by a stranger, so a lock that a crash left behind is recognised at once.
 */
export async function lockFolder(folder: string): Promise<FolderLock> {
  const token = randomUUID();
  const server = net.createServer((socket) => socket.on("error", () => {}).end(token));
  await new Promise<void>((resolve, reject) => server.once("error", reject).listen(0, "127.0.0.1", resolve));
  server.unref();
  const file = path.join(folder, "lock");
  const draft = `${file}.${token}`;
  const { port } = server.address() as net.AddressInfo;
  try {
    await writeFile(draft, JSON.stringify({ pid: process.pid, port, token } satisfies Holder), {
      mode: 0o600,
    });
    await takeOver(file, draft);
  } catch (error) {
    server.close();
    throw error;
  } finally {
    await rm(draft, { force: true });
  }
  const release = async () => {
    await rm(file, { force: true });
    await new Promise((resolve) => server.close(resolve));
  };
  let released: Promise<void> | undefined;
  return {
    // Once only: the next time, the lock would be somebody else's.
    release: () => {
      released ??= release();
      return released;
    },
  };
}

/** `link` refuses an existing name, and the file behind it is complete from the first moment. */
async function takeOver(file: string, draft: string): Promise<void> {
  for (let attempt = 0; attempt < 5; attempt++) {
    try {
      await link(draft, file);
      return;
    } catch (error) {
      if (errorCode(error) !== "EEXIST") throw error;
    }
    const holder = await readHolder(file);
    if (holder && (await holds(holder))) break;
    await rm(file, { force: true });
  }
  throw new StartError(
    `${path.dirname(file)} is in use by another running Posthorn; stop that one, or set POSTHORN_DATA_DIR to another folder`,
  );
}

async function readHolder(file: string): Promise<Holder | undefined> {
  try {
    return JSON.parse(await readFile(file, "utf8")) as Holder;
  } catch {
    return undefined;
  }
}

/** A holder that is alive but too busy to answer within two seconds still holds. */
function holds({ pid, port, token }: Holder): Promise<boolean> {
  try {
    process.kill(pid, 0);
  } catch (error) {
    if (errorCode(error) === "ESRCH") return Promise.resolve(false);
  }
  return new Promise((resolve) => {
    let answer = "";
    const socket = net.connect({ port, host: "127.0.0.1", timeout: 2000 });
    const settle = (held: boolean) => {
      socket.destroy();
      resolve(held);
    };
    socket.on("data", (chunk) => {
      answer += chunk;
    });
    socket.on("end", () => settle(answer === token));
    socket.on("timeout", () => settle(true));
    socket.on("error", () => settle(false));
  });
}
