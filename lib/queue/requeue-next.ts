import type { Queryable } from "#lib/db/database.ts";
import {
  createParameters,
  judged,
  meantDeliveries,
  type Selection,
  supersededInSelection,
  verdict,
} from "./requeue-filter.ts";

const batchSize = 500;
/** Under a rate, a batch is what may go in this time, so that it goes evenly. */
export const sliceSeconds = 0.25;
/** Beside those that may go: what is refused between them takes none of the rate. */
const mostPassedBy = 100;

/**
 * The next batch of what is meant, after `cursor`: their ids in order, and whether they are the last. Under a rate no more
 * of them than may go now will be accepted, by a look that locks nothing: a row's lock is a write, and most of the rows
 * ahead are looked at again for later batches.
 */
export async function nextOfRequeue(
  db: Queryable,
  given: { selection: Selection; cursor: string; ratePerSecond: number | null },
): Promise<{ ids: string[]; isLast: boolean }> {
  const { selection, cursor, ratePerSecond } = given;
  const most = ratePerSecond === null ? batchSize : perSlice(ratePerSecond);
  const limit = ratePerSecond === null ? batchSize : Math.min(batchSize, most + mostPassedBy);
  const parameters = createParameters();
  // One more shows whether there is one.
  const page = { after: cursor, limit: limit + 1 };
  const next = `select * from (${meantDeliveries(judged.delivery, selection, { parameters, page })}) m order by id limit ${page.limit}`;
  const { rows } = await db.query<{ id: string; goes: boolean }>({
    text:
      ratePerSecond === null
        ? `select id, true as goes from (${next}) n order by id`
        : `with t as materialized (
            select n.*, ${judged.endpoint} from (${next}) n join posthorn.endpoints e on e.id = n.endpoint_id
          )
          select t.id, ${verdict(selection, () => supersededInSelection(selection, parameters))} = 'accepted' as goes
          from t order by t.id`,
    values: parameters.values,
  });
  const ids: string[] = [];
  let going = 0;
  for (const { id, goes } of rows.slice(0, limit)) {
    if (goes && going === most) break;
    if (goes) going += 1;
    ids.push(id);
  }
  return { ids, isLast: ids.length === rows.length };
}

function perSlice(ratePerSecond: number): number {
  return Math.min(batchSize, Math.max(1, Math.floor(ratePerSecond * sliceSeconds)));
}
