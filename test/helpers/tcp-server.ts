import { once } from "node:events";
import { createServer, type Socket } from "node:net";

/** A TCP server on loopback, for what HTTP servers do not do. */
export async function startTcpServer(
  onConnection: (socket: Socket) => void,
): Promise<{ port: number; close: () => Promise<void> }> {
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.on("error", () => {});
    onConnection(socket);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    port: (server.address() as { port: number }).port,
    close: async () => {
      for (const socket of sockets) socket.destroy();
      await new Promise<void>((resolve) => server.close(() => resolve()));
    },
  };
}

/** Answers requests until the second on the first connection, which it closes in good order in place of an answer. */
export async function startForgetfulServer(): Promise<{
  port: number;
  connections: () => number;
  close: () => Promise<void>;
}> {
  let connections = 0;
  const server = await startTcpServer((socket) => {
    connections += 1;
    const isFirst = connections === 1;
    let requests = 0;
    socket.on("data", () => {
      requests += 1;
      if (isFirst && requests === 2) socket.end();
      else socket.write("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n");
    });
  });
  return { ...server, connections: () => connections };
}
