import { createServer } from "node:http";

/** What the bench tells its receiver: from now on note when requests come, or say which came when. */
export type ReceiverOrder = "record" | "report";
/** Event ids with the machine's monotonic clock in nanoseconds, as text. */
export type ReceiverReport = { arrivals: [string, string][] };

/**
 * The bench's other side, in a process of its own: reads each request whole and answers 200 at once, but never
 * where the path begins with /hang. The monotonic clock is the machine's, so its times compare with the publisher's.
 */
let arrivals: [string, string][] | null = null;
const server = createServer((request, response) => {
  const eventId = request.headers["webhook-id"];
  if (arrivals && typeof eventId === "string") arrivals.push([eventId, process.hrtime.bigint().toString()]);
  if (request.url?.startsWith("/hang")) return void request.resume();
  request.resume();
  request.on("end", () => {
    response.writeHead(200, { "content-type": "text/plain", "content-length": "2" });
    response.end("ok");
  });
});
server.keepAliveTimeout = 60_000;
server.listen(0, "127.0.0.1", () => {
  const address = server.address();
  if (address && typeof address === "object") process.send?.({ port: address.port });
});
process.on("message", (order: ReceiverOrder) => {
  if (order === "report") process.send?.({ arrivals: arrivals ?? [] } satisfies ReceiverReport);
  arrivals = order === "record" ? [] : null;
});
process.on("disconnect", () => process.exit(0));
