import { v7 as uuidV7 } from "uuid";
import type { RequeueFilter } from "#drizzle/schema/operations.ts";
import { selectAffiliate } from "#lib/affiliates/queries.ts";
import type { Page } from "#lib/api/paging.ts";
import { recordAudit } from "#lib/audit/record.ts";
import type { Actor } from "#lib/auth/actor.ts";
import { authorize } from "#lib/auth/permissions.ts";
import { appDatabase } from "#lib/db/app.ts";
import { inTransaction, type Transaction } from "#lib/db/database.ts";
import { existing, Problem } from "#lib/errors.ts";
import { formatCount } from "#lib/format.ts";
import type { Selection } from "#lib/queue/requeue-filter.ts";
import {
  countOverlap,
  type PreviewRow,
  previewRequeue as preview,
  previewRenderAgain,
} from "#lib/queue/requeue-preview.ts";
import { requeueRefusalSentences } from "#lib/vocabulary.ts";
import { summarize } from "./preview.ts";
import {
  insertRequeue,
  markCancelled,
  maxActive,
  selectActive,
  selectByRequestId,
  selectRequeue,
  selectRequeues,
} from "./queries.ts";
import type {
  Requeue,
  RequeueCreate,
  RequeueDetail,
  RequeueListQuery,
  RequeuePreview,
  RequeuePreviewInput,
} from "./schema.ts";

/** One page of requeues, newest first. */
export async function listRequeues(actor: Actor, query: RequeueListQuery): Promise<Page<Requeue>> {
  authorize(actor, "requeue.read");
  return selectRequeues(appDatabase().orm, { ...query, scope: actor.affiliateId });
}

/** One requeue with a sample of what it left; 404 when there is none. */
export async function getRequeue(actor: Actor, id: string): Promise<RequeueDetail> {
  authorize(actor, "requeue.read");
  return existing(await selectRequeue(appDatabase().orm, { id, scope: actor.affiliateId }), "requeue");
}

/** What a requeue would do now, counted by endpoint, with what it would refuse and why. Changes nothing. */
export async function previewRequeue(actor: Actor, input: RequeuePreviewInput): Promise<RequeuePreview> {
  authorize(actor, "requeue.read");
  return inTransaction(appDatabase(), async (tx) => {
    await tx.client.query("set transaction isolation level repeatable read");
    const selection = await freeze(actor, { input, tx });
    const isRendered = selection.operation === "requeue" && selection.renderAgain;
    const { rows, isBound } = isRendered
      ? await previewRenderAgain(tx.client, selection)
      : { rows: await preview(tx.client, selection), isBound: false };
    return {
      ...summarize(rows, { ...selection, isBound }),
      overlaps: await overlapsOf(actor, { selection, tx }),
    };
  });
}

/**
 * Makes a requeue of what the filter finds, for a worker to work through. With the `request_id` of an earlier call that
 * one's requeue is answered, and nothing made. 422 where nothing matches or nothing can be done; 409 where an unfinished
 * one has some of the same deliveries: what became of those would depend on which of the two comes first. 409, too, where
 * 100 are unfinished.
 */
export async function createRequeue(actor: Actor, input: RequeueCreate): Promise<RequeueDetail> {
  authorize(actor, "delivery.requeue");
  if (input.operation === "discard") authorize(actor, "delivery.discard");
  return inTransaction(appDatabase(), async (tx) => {
    const { client, orm } = tx;
    // One at a time, so that of two that overlap the second sees the first.
    await client.query("select pg_advisory_xact_lock(hashtextextended('posthorn.requeues', 0))");
    const selection = await freeze(actor, { input, tx });
    const repeated = input.request_id ? await madeBefore(actor, { input, selection, tx }) : null;
    if (repeated) return repeated;
    const rows = await preview(tx.client, selection);
    const affiliateId = selection.filter.affiliateId ?? onlyAffiliate(rows);
    const { total, accepted } = summarize(rows, selection);
    refuseEmpty(rows, { total, accepted });
    await refuseTooMany(tx);
    await refuseOverlap(actor, { selection, tx });
    const id = uuidV7();
    const { operation, mode, reason } = input;
    await insertRequeue(orm, {
      id,
      operation,
      mode,
      filter: selection.filter,
      affiliateId,
      asOf: selection.asOf,
      lastId: rows.reduce((last, { lastId }) => (BigInt(lastId) > last ? BigInt(lastId) : last), 0n),
      ratePerSecond: input.rate_per_second ?? null,
      reason,
      requestId: input.request_id ?? null,
      actorKind: actor.kind,
      actorId: actor.id,
      actorName: actor.name,
      total,
    });
    const made = existing(await selectRequeue(orm, { id, scope: actor.affiliateId }), "requeue");
    await recordAudit(orm, actor, {
      action: "requeue.create",
      objectKind: "requeue",
      objectId: id,
      ...(affiliateId === null ? {} : { affiliateId }),
      after: { operation, mode, reason, total, rate_per_second: made.rate_per_second, filter: made.filter },
    });
    return made;
  });
}

/** Ends a requeue between two batches; what it did stays done. 409 when it has ended already. */
export async function cancelRequeue(actor: Actor, id: string): Promise<RequeueDetail> {
  authorize(actor, "delivery.requeue");
  return inTransaction(appDatabase(), async ({ orm }) => {
    const asked = { id, scope: actor.affiliateId };
    existing(await selectRequeue(orm, asked), "requeue");
    const cancelled = await markCancelled(orm, { id, by: actor.name });
    const now = existing(await selectRequeue(orm, asked), "requeue");
    if (!cancelled) throw new Problem("requeue_ended", `It is ${now.state} already`);
    await recordAudit(orm, actor, {
      action: "requeue.cancel",
      objectKind: "requeue",
      objectId: id,
      ...(cancelled.affiliateId === null ? {} : { affiliateId: cancelled.affiliateId }),
      after: { state: "cancelled", done: now.done, total: now.total },
    });
    return now;
  });
}

type Asked = RequeuePreviewInput & Pick<Partial<RequeueCreate>, "as_of">;

/** What is meant, within what the actor may see. */
async function freeze(actor: Actor, { input, tx }: { input: Asked; tx: Transaction }): Promise<Selection> {
  const { affiliate, event_type, status_class, ...same } = input.filter;
  const named = affiliate === undefined ? null : await selectAffiliate(tx.orm, affiliate);
  const isForeign = actor.affiliateId !== null && named !== null && named.id !== actor.affiliateId;
  if (affiliate !== undefined && (named === null || isForeign)) throw noMatch();
  const affiliateId = actor.affiliateId ?? named?.id ?? null;
  const filter: RequeueFilter = {
    ...defined(same),
    ...(event_type === undefined ? {} : { eventType: event_type }),
    ...(status_class === undefined ? {} : { statusClass: status_class }),
    ...(affiliateId === null ? {} : { affiliateId }),
  };
  return {
    operation: input.operation,
    renderAgain: input.operation === "requeue" && input.mode === "render_again",
    filter,
    asOf: await upTo(tx, input.as_of),
    lastId: null,
  };
}

/** The affiliate whose they all are; null where there are several. */
function onlyAffiliate(rows: readonly PreviewRow[]): string | null {
  const [first, ...others] = new Set(rows.map(({ affiliate }) => affiliate.id));
  return first !== undefined && others.length === 0 ? first : null;
}

/** By the database's clock, never ahead of it: what fails after the answer is in no requeue that was agreed to. */
async function upTo({ client }: Transaction, given: string | undefined): Promise<Date> {
  const { rows } = await client.query<{ as_of: Date }>(
    "select date_trunc('milliseconds', least(now(), $1::timestamptz)) as as_of",
    [given ?? null],
  );
  return (rows[0] as { as_of: Date }).as_of;
}

/** The requeue that was made under the same id; 409 where something else was. */
async function madeBefore(
  actor: Actor,
  { input, selection, tx }: { input: RequeueCreate; selection: Selection; tx: Transaction },
): Promise<RequeueDetail | null> {
  const before = await selectByRequestId(tx.orm, input.request_id ?? "");
  if (!before) return null;
  const known = await selectRequeue(tx.orm, { id: before.id, scope: actor.affiliateId });
  const isSame =
    before.operation === input.operation &&
    before.mode === input.mode &&
    before.reason === input.reason &&
    before.ratePerSecond === (input.rate_per_second ?? null) &&
    JSON.stringify(before.filter) === JSON.stringify(selection.filter);
  if (!known || !isSame) {
    throw new Problem("id_reused", "request_id was used for another requeue: make a new one");
  }
  return known;
}

async function overlapsOf(
  actor: Actor,
  { selection, tx }: { selection: Selection; tx: Transaction },
): Promise<RequeuePreview["overlaps"]> {
  const overlaps: RequeuePreview["overlaps"] = [];
  for (const active of await selectActive(tx.orm)) {
    const { operation, mode, filter, asOf, cursor, id } = active;
    const other = {
      selection: {
        operation,
        renderAgain: mode === "render_again",
        filter,
        asOf,
        lastId: String(active.lastId),
      },
      cursor: String(cursor),
    };
    const count = await countOverlap(tx.client, selection, other);
    const isVisible = actor.affiliateId === null || active.affiliateId === actor.affiliateId;
    if (count > 0) overlaps.push({ id: isVisible ? id : null, count });
  }
  return overlaps;
}

async function refuseTooMany({ orm }: Transaction): Promise<void> {
  if ((await selectActive(orm)).length < maxActive) return;
  throw new Problem(
    "too_many_requeues",
    `${maxActive} requeues are under way already: wait for the end of one, or cancel it`,
  );
}

async function refuseOverlap(actor: Actor, asked: { selection: Selection; tx: Transaction }): Promise<void> {
  const [overlap] = await overlapsOf(actor, asked);
  if (!overlap) return;
  const which = overlap.id === null ? "another requeue" : `requeue ${overlap.id}`;
  throw new Problem(
    "overlapping",
    `${formatCount(overlap.count)} of them are still to be taken by ${which}: wait for its end, or cancel it`,
  );
}

function refuseEmpty(
  rows: readonly PreviewRow[],
  { total, accepted }: { total: number; accepted: number },
): void {
  if (total === 0) throw noMatch();
  if (accepted > 0) return;
  const whys = [...new Set(rows.map(({ verdict }) => verdict))].flatMap((why) =>
    why === "accepted" ? [] : [requeueRefusalSentences[why]],
  );
  throw new Problem(
    "nothing_to_do",
    `${formatCount(total)} match, and all would be left as they are. ${whys.join(". ")}`,
  );
}

function noMatch(): Problem {
  return new Problem("nothing_matches", "The filter finds nothing that could be taken, so nothing was made");
}

function defined<T extends object>(value: T): { [K in keyof T]: Exclude<T[K], undefined> } {
  return Object.fromEntries(Object.entries(value).filter(([, member]) => member !== undefined)) as never;
}
