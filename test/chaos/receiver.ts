import { createServer, type ServerResponse } from "node:http";
import { createRandom } from "./plan.ts";

/** One request as it came, in the order of arrival. `status` 0: the connection was reset in place of an answer. */
export type Received = { eventId: string; attempt: number; status: number };

/**
 * The other side, in a process of its own that nothing disturbs: logs every request before it answers. What it
 * answers follows from the seed, the event and how often the event came: mostly 200, some 500 and 503, some
 * slowly, some not at all. Once 200, always 200, so that whatever comes after that is a repeat and nothing else.
 */
const seed = Number(process.argv[2]);
const log: Received[] = [];
const timesReceived = new Map<string, number>();
const done = new Set<string>();
/** The scripted mix ends here, so that everything is delivered in the end. */
const lastScripted = 5;
const usualDelayMs = 60;
const slowDelayMs = 2_000;

const server = createServer((request, response) => {
  request.resume();
  request.on("end", () => {
    const eventId = String(request.headers["webhook-id"]);
    const times = (timesReceived.get(eventId) ?? 0) + 1;
    timesReceived.set(eventId, times);
    const { status, delayMs } = answerTo(eventId, times);
    log.push({ eventId, attempt: Number(request.headers["posthorn-attempt"]), status });
    if (status === 200) done.add(eventId);
    setTimeout(() => answer(response, status), delayMs);
  });
});

function answerTo(eventId: string, times: number): { status: number; delayMs: number } {
  const random = createRandom(seed + Number(eventId.replace(/\D/g, "")) * 31 + times * 7_919);
  const choice = random();
  const usual = random() * usualDelayMs;
  if (done.has(eventId) || times > lastScripted || choice < 0.85) return { status: 200, delayMs: usual };
  if (choice < 0.89) return { status: 200, delayMs: random() * slowDelayMs };
  if (choice < 0.93) return { status: 500, delayMs: usual };
  if (choice < 0.96) return { status: 503, delayMs: usual };
  return { status: 0, delayMs: usual };
}

function answer(response: ServerResponse, status: number): void {
  if (status === 0) response.socket?.resetAndDestroy();
  else response.writeHead(status, { "content-length": "0" }).end();
}

server.keepAliveTimeout = 0;
server.listen(0, "127.0.0.1", () => {
  const address = server.address();
  if (address && typeof address === "object") process.send?.({ port: address.port });
});
process.on("message", () => process.send?.({ log }));
process.on("disconnect", () => process.exit(0));
// Ctrl-C reaches the whole group; the process that started this one ends it when it is through.
process.on("SIGINT", () => undefined);
