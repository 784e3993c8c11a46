import type pg from "pg";
import type { RequeueFilter, RequeueLeft } from "#drizzle/schema/operations.ts";
import { plainArray } from "#lib/db/arrays.ts";
import { isDatabaseAway } from "#lib/db/away.ts";
import { inClientTransaction } from "#lib/db/database.ts";
import type { Reason, RequeueMode, RequeueOperation, RequeueRefusal } from "#lib/vocabulary.ts";
import { freeHeads, lockKeys } from "./ordering.ts";
import { renderManyAgain } from "./render-again.ts";
import { createParameters, isMeant, type Selection, supersededInSelection } from "./requeue-filter.ts";
import { nextOfRequeue, sliceSeconds } from "./requeue-next.ts";
import { judge, putBack } from "./resend.ts";
import { wakeWorkers } from "./wake.ts";

const sampleSize = 50;
/** Faults of ours in a row after which a requeue is given up. */
const maxFaults = 8;

type Job = {
  id: string;
  operation: RequeueOperation;
  mode: RequeueMode;
  filter: RequeueFilter;
  as_of: Date;
  last_id: string;
  cursor: string;
  rate_per_second: number | null;
  total: number;
  done: number;
  refused: Counts<RequeueRefusal>;
  failed: Counts<Reason>;
  sample: RequeueLeft[];
};

const selectionColumns = "id, operation, mode, filter, as_of, last_id, cursor";

function selectionOf(job: Pick<Job, "operation" | "mode" | "filter" | "as_of" | "last_id">): Selection {
  return {
    operation: job.operation,
    renderAgain: job.mode === "render_again",
    filter: job.filter,
    asOf: job.as_of,
    lastId: job.last_id,
  };
}

/**
 * Takes the next batch of the requeue that has waited longest. Returns in how many milliseconds to call again: 0 after a
 * batch, more where none is due yet; null where there is none, or others are at it. The requeue's row is locked for as long as the batch takes: so one worker is at it at a time,
 * cancelling waits for the batch, and what a crash interrupts is rolled back with the cursor, and done once.
 * `onFault` hears of a fault of ours that rolled a batch back: it is tried again later.
 */
export async function runRequeueBatch(
  pool: pg.Pool,
  onFault: (id: string, error: unknown) => void,
): Promise<number | null> {
  let atWork: string | undefined;
  try {
    const waitMs = await inClientTransaction(pool, async (client) => {
      const startedAt = performance.now();
      const { rows } = await client.query<Job & { due_in_ms: number }>({
        name: "next_requeue",
        text: `select ${selectionColumns}, rate_per_second, total, done, refused, failed, sample,
            extract(epoch from next_batch_at - now())::float8 * 1000 as due_in_ms
          from posthorn.requeues where state in ('pending', 'running')
          order by next_batch_at limit 1 for update skip locked`,
      });
      const [job] = rows;
      if (!job) return null;
      if (job.due_in_ms > 0) return job.due_in_ms;
      atWork = job.id;
      const batch = await workThrough(client, job);
      await recordBatch(client, job, { ...batch, tookMs: performance.now() - startedAt });
      return 0;
    });
    if (waitMs === 0) wakeWorkers(pool);
    return waitMs;
  } catch (error) {
    if (atWork === undefined || isDatabaseAway(error as Error)) throw error;
    onFault(atWork, error);
    await recordFault(pool, atWork);
    return 0;
  }
}

type Batch = {
  /** Every id that was looked at, in order. */
  ids: string[];
  isLast: boolean;
  /** Those that were put back or discarded. */
  done: string[];
  left: RequeueLeft[];
};

async function workThrough(client: pg.PoolClient, job: Job): Promise<Batch> {
  const selection = selectionOf(job);
  const { cursor, rate_per_second: ratePerSecond } = job;
  const { ids, isLast } = await nextOfRequeue(client, { selection, cursor, ratePerSecond });
  if (ids.length === 0) return { ids, isLast, done: [], left: [] };
  await lockKeys(client, ids);
  const judging = createParameters();
  const verdicts = await judge(client, {
    ids,
    selection,
    isSuperseded: () => supersededInSelection(selection, judging),
    stillMeant: isMeant("d", selection, judging),
    parameters: judging,
  });
  const left: RequeueLeft[] = [];
  let accepted: string[] = [];
  for (const id of ids) {
    const verdict = verdicts.get(id) ?? "moved_on";
    if (verdict === "accepted") accepted.push(id);
    else left.push({ delivery: id, why: verdict, reason: null });
  }
  if (job.operation === "discard") {
    await discard(client, accepted);
  } else {
    if (selection.renderAgain) accepted = await renderOrLeave(client, accepted, left);
    await putBack(client, accepted);
    await notePutBack(client, job.id, accepted);
  }
  return { ids, isLast, done: accepted, left };
}

/** Renders the postbacks among them; returns those that can go. A webhook is made anew with every attempt anyway. */
async function renderOrLeave(
  client: pg.PoolClient,
  ids: readonly string[],
  left: RequeueLeft[],
): Promise<string[]> {
  const results = await renderManyAgain(client, ids);
  return ids.filter((id) => {
    const result = results.get(id);
    if (result?.outcome === "rendered" || result?.outcome === "not_a_postback") return true;
    if (result?.outcome === "cannot_render")
      left.push({ delivery: id, why: "cannot_render", reason: result.reason });
    else left.push({ delivery: id, why: "body_purged", reason: null });
    return false;
  });
}

/** So that what became of them can be listed: deliveries, which every claim rewrites, say nothing of requeues. */
async function notePutBack(client: pg.PoolClient, requeue: string, ids: readonly string[]): Promise<void> {
  if (ids.length === 0) return;
  await client.query({
    name: "note_put_back",
    text: "insert into posthorn.requeue_batches (requeue_id, last_id, ids) values ($1, $2, $3)",
    values: [requeue, ids.at(-1), plainArray(ids)],
  });
}

async function discard(client: pg.PoolClient, ids: readonly string[]): Promise<void> {
  if (ids.length === 0) return;
  await client.query({
    name: "discard_by_hand",
    text: `update posthorn.deliveries
      set state = 'discarded', reason = 'discarded_by_hand', blocked = false, ended_at = now()
      where id = any($1::bigint[])`,
    values: [plainArray(ids)],
  });
  await freeHeads(client, ids);
}

/**
 * Without a rate it rests for as long as the batch took, so that it takes half of what one connection gives. With one,
 * it waits for what it put back, and for nothing that it left; what was late by up to a slice is caught up, and no more.
 */
async function recordBatch(
  client: pg.PoolClient,
  job: Job,
  batch: Batch & { tookMs: number },
): Promise<void> {
  const { ids, isLast, left, tookMs } = batch;
  const done = job.done + batch.done.length;
  const refused = addCounts(job.refused, left, ({ why, reason }) => (reason === null ? why : null));
  const failed = addCounts(job.failed, left, ({ reason }) => reason);
  const seen = done + sum(refused) + sum(failed);
  if (isLast && seen < job.total) refused.moved_on = (refused.moved_on ?? 0) + job.total - seen;
  const pauseSeconds =
    job.rate_per_second === null ? tookMs / 1_000 : batch.done.length / job.rate_per_second;
  await client.query({
    name: "record_requeue_batch",
    text: `update posthorn.requeues set state = $2, cursor = $3, done = $4, refused = $5, failed = $6, sample = $7,
        total = $8, faults = 0, started_at = coalesce(started_at, now()),
        ended_at = case when $9 then clock_timestamp() end,
        next_batch_at = case when rate_per_second is null then clock_timestamp()
          else greatest(next_batch_at, now() - $10 * interval '1 second') end + $11 * interval '1 second'
      where id = $1`,
    values: [
      job.id,
      isLast ? "completed" : "running",
      ids.at(-1) ?? job.cursor,
      done,
      JSON.stringify(refused),
      JSON.stringify(failed),
      JSON.stringify([...job.sample, ...left].slice(0, sampleSize)),
      // What was settled in the very moment of the count was seen by the run only.
      Math.max(job.total, seen),
      isLast,
      sliceSeconds,
      pauseSeconds,
    ],
  });
}

type Counts<Key extends string> = Partial<Record<Key, number>>;

function addCounts<Key extends RequeueRefusal | Reason>(
  before: Counts<Key>,
  left: readonly RequeueLeft[],
  keyOf: (one: RequeueLeft) => Key | null,
): Counts<Key> {
  const counts = { ...before };
  for (const one of left) {
    const key = keyOf(one);
    if (key !== null) counts[key] = (counts[key] ?? 0) + 1;
  }
  return counts;
}

function sum(counts: Counts<string>): number {
  return Object.values(counts).reduce<number>((all, count) => all + (count ?? 0), 0);
}

/** It is tried again, ever later, and given up after the eighth fault in a row. */
async function recordFault(pool: pg.Pool, id: string): Promise<void> {
  await pool.query({
    text: `update posthorn.requeues set faults = faults + 1,
        next_batch_at = now() + least(60, power(2, faults) * 0.25) * interval '1 second',
        state = case when faults + 1 >= ${maxFaults} then 'failed' else state end::posthorn.requeue_state,
        ended_at = case when faults + 1 >= ${maxFaults} then now() end
      where id = $1 and state in ('pending', 'running')`,
    values: [id],
  });
}
