import { once } from "node:events";
import net from "node:net";
import { errorCode, StartError } from "./start-error.ts";

/** A port of loopback that nothing listens on at this moment. */
export function freePort(): Promise<number> {
  return tryPort(0);
}

/** Throws `StartError` that names the port and the variable that chooses it. */
export async function requireFreePort(port: number, variable: string): Promise<void> {
  try {
    await tryPort(port);
  } catch (error) {
    const code = errorCode(error);
    const why = code === "EADDRINUSE" ? "is taken" : `cannot be listened on (${code})`;
    throw new StartError(`Port ${port} ${why}: free it, or set ${variable} to another one`);
  }
}

async function tryPort(port: number): Promise<number> {
  const server = net.createServer();
  await once(server.listen(port, "127.0.0.1"), "listening");
  const found = (server.address() as net.AddressInfo).port;
  await new Promise((resolve) => server.close(resolve));
  return found;
}
