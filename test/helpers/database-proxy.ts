import { once } from "node:events";
import net from "node:net";

export type DatabaseProxy = {
  /** The database's URL, by way of the proxy. */
  url: string;
  /** From now on nothing passes through the connections that are open, and nobody is told. New ones work. */
  silence: () => void;
  close: () => Promise<void>;
};

/** A network between a worker and its database that can lose connections without a word, as real ones do. */
export async function startDatabaseProxy(databaseUrl: string): Promise<DatabaseProxy> {
  const target = new URL(databaseUrl);
  const sockets = new Set<net.Socket>();
  const server = net.createServer((near) => {
    const far = net.connect(Number(target.port), target.hostname);
    for (const socket of [near, far]) {
      sockets.add(socket);
      socket.on("error", () => undefined);
      socket.on("close", () => sockets.delete(socket));
    }
    near.pipe(far);
    far.pipe(near);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const url = new URL(databaseUrl);
  url.port = String((server.address() as net.AddressInfo).port);
  return {
    url: url.href,
    silence: () => {
      for (const socket of sockets) socket.unpipe().pause();
    },
    close: async () => {
      const closed = once(server, "close");
      server.close();
      for (const socket of sockets) socket.destroy();
      await closed;
    },
  };
}
