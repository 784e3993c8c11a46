import { createHmac } from "node:crypto";
import { Webhook } from "standardwebhooks";
import {
  type ReceivedRequest,
  type Receiver,
  type ReceiverStep,
  startReceiver,
} from "#test/helpers/receiver.ts";
import { mulberry32 } from "./demo-events.ts";
import { type Behaviour, type DemoEndpoint, demoEndpoints } from "./demo-world.ts";
import { errorCode, StartError } from "./start-error.ts";

export type DemoReceiver = Pick<Receiver, "port" | "url" | "close"> & {
  counts: { received: number; verified: number; refused: number };
};

export type DemoReceiverOptions = {
  port: number;
  seed: number;
  /** The signing secret of the endpoint at this path, if it is known. */
  secretOf: (path: string) => string | undefined;
};

/**
 * The affiliates' servers, each at a path of its own and with its own behaviour. Those that a request's signature
 * does not convince answer 400.
 */
export async function startDemoReceiver({
  port,
  seed,
  secretOf,
}: DemoReceiverOptions): Promise<DemoReceiver> {
  const counts = { received: 0, verified: 0, refused: 0 };
  const random = mulberry32(seed);
  const receiver = await listen(port);
  for (const { path, behaviour, kind, postback } of demoEndpoints) {
    const behave = behaviourOf(behaviour, random);
    receiver.script(path, (request) => {
      counts.received += 1;
      const secret = secretOf(path);
      if (secret === undefined || (kind === "postback" && !postback?.sign)) return behave();
      const isOurs =
        kind === "postback" ? verifiesUrl(receiver.url(request.path), secret) : verifies(request, secret);
      if (!isOurs) {
        counts.refused += 1;
        return { status: 400, body: "The signature does not verify" };
      }
      counts.verified += 1;
      return behave();
    });
  }
  return { port: receiver.port, url: receiver.url, close: receiver.close, counts };
}

/** Where an endpoint is to deliver. Nothing listens on the discard port. */
export function demoUrl(receiver: DemoReceiver, { behaviour, path, query = "" }: DemoEndpoint): string {
  return behaviour === "down" ? `http://127.0.0.1:9${path}${query}` : receiver.url(path) + query;
}

async function listen(port: number): Promise<Receiver> {
  try {
    return await startReceiver({ port, keepRequests: 0 });
  } catch (error) {
    if (errorCode(error) !== "EADDRINUSE") throw error;
    throw new StartError(
      `Port ${port} of the demo's receiver is taken: stop what listens there, or choose another with --receiver-port`,
    );
  }
}

function verifies(request: ReceivedRequest, secret: string): boolean {
  const headers: Record<string, string> = {};
  for (let at = 0; at < request.headers.length; at += 2) {
    headers[(request.headers[at] ?? "").toLowerCase()] = request.headers[at + 1] ?? "";
  }
  try {
    new Webhook(secret).verify(request.body, headers);
    return true;
  } catch {
    return false;
  }
}

/** `sig=` ends the URL and covers all that is before it. */
function verifiesUrl(url: string, secret: string): boolean {
  const [, signed = "", sig] = /^(.*)[?&]sig=([0-9a-f]+)$/.exec(url) ?? [];
  const key = Buffer.from(secret.replace(/^whsec_/, ""), "base64");
  return sig === createHmac("sha256", key).update(signed).digest("hex");
}

function behaviourOf(behaviour: Behaviour, random: () => number): () => ReceiverStep {
  const between = (lowest: number, highest: number) => lowest + random() * (highest - lowest);
  const json = { "content-type": "application/json" };
  const taken = (delayMs: number): ReceiverStep => ({ delayMs, headers: json, body: '{"ok":true}' });
  const refused = (status: number, error: string, headers: Record<string, string> = {}): ReceiverStep => ({
    status,
    delayMs: between(3, 40),
    headers: { ...json, ...headers },
    body: JSON.stringify({ error }),
  });
  let nextAcceptedAt = 0;

  switch (behaviour) {
    case "healthy":
    case "down":
      return () => taken(between(5, 60));
    case "slow":
      return () => taken(between(300, 1_500));
    case "flaky":
      return () => {
        if (random() >= 0.3) return taken(between(5, 120));
        return random() < 0.5 ? refused(500, "internal error") : refused(503, "maintenance in progress");
      };
    case "unauthorized":
      return () => refused(401, "invalid access token", { "www-authenticate": "Bearer" });
    case "rate_limited":
      return () => {
        const now = performance.now();
        if (now < nextAcceptedAt) return refused(429, "too many requests", { "retry-after": "2" });
        nextAcceptedAt = now + 2_000;
        return taken(between(5, 60));
      };
    case "gone":
      return () => refused(410, "this tracker has been shut down");
    case "redirecting":
      return () => ({ status: 301, redirectTo: "https://www.example.com/hooks/v2", delayMs: between(3, 40) });
    case "refusing":
      return () => {
        if (random() >= 0.25) return taken(between(5, 60));
        return { delayMs: between(5, 60), body: "status=error reason=unknown_click" };
      };
    case "hanging":
      return () => ({ hang: true });
  }
}
