import type { ConsoleCall } from "./calls.ts";

/** Makes one call as a browser that is signed in would; the answer's body is JSON. */
export type Ask = (call: Pick<ConsoleCall, "path" | "body">) => Promise<{ status: number; text: string }>;

export type Measurement = {
  name: string;
  path: string;
  medianMs: number;
  p95Ms: number;
  /** Of a list, how many are on the page; null for what is none. */
  rows: number | null;
  bytes: number;
};

/** Times a call, after `warmUps` that do not count. Throws where it is not answered with 200. */
export async function measureCall(
  ask: Ask,
  call: ConsoleCall,
  { runs, warmUps }: { runs: number; warmUps: number },
): Promise<Measurement> {
  const { path, body } = call.pages ? await atDepth(ask, call, call.pages) : call;
  let text = "";
  const timesMs: number[] = [];
  for (let run = -warmUps; run < runs; run++) {
    const startedAt = performance.now();
    text = await answered(ask, { path, body }, call.name);
    if (run >= 0) timesMs.push(performance.now() - startedAt);
  }
  timesMs.sort((a, b) => a - b);
  const { data } = JSON.parse(text) as { data?: unknown };
  return {
    name: call.name,
    path,
    medianMs: quantile(timesMs, 0.5),
    p95Ms: quantile(timesMs, 0.95),
    rows: Array.isArray(data) ? data.length : null,
    bytes: Buffer.byteLength(text),
  };
}

/** The same call for the page after so many, or the last one. */
async function atDepth(
  ask: Ask,
  call: ConsoleCall,
  pages: number,
): Promise<Pick<ConsoleCall, "path" | "body">> {
  let path = call.path;
  for (let page = 0; page < pages; page++) {
    const text = await answered(ask, { path, body: call.body }, call.name);
    const { next_cursor: cursor } = JSON.parse(text) as { next_cursor?: string | null };
    if (!cursor) break;
    const url = new URL(call.path, "http://localhost");
    url.searchParams.set("cursor", cursor);
    path = `${url.pathname}${url.search}`;
  }
  return { path, body: call.body };
}

async function answered(ask: Ask, call: Pick<ConsoleCall, "path" | "body">, name: string): Promise<string> {
  const { status, text } = await ask(call);
  if (status !== 200) throw new Error(`${name}: ${call.path} answered ${status} ${text.slice(0, 500)}`);
  return text;
}

function quantile(sorted: readonly number[], q: number): number {
  return sorted[Math.min(sorted.length - 1, Math.floor(q * sorted.length))] ?? Number.NaN;
}
