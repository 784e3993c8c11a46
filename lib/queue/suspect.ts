import type { Queryable } from "#lib/db/database.ts";

/** Workers lost in a row before a delivery is given up: it may be what kills them. */
export const lostLimit = 3;

/**
 * To be called before a delivery is sent that was lost with a worker before: counts this worker as lost too, which
 * its settlement takes back. So it is blamed for what died while it was sent, and not for what died while it
 * waited among hundreds. Returns false when the lease is somebody else's by now.
 */
export async function suspect(
  db: Queryable,
  lease: { deliveryId: string; leaseToken: string },
): Promise<boolean> {
  const { rowCount } = await db.query({
    name: "suspect",
    text: `update posthorn.deliveries set lost_in_a_row = lost_in_a_row + 1
      where id = $1 and lease_token = $2 and state = 'in_flight'`,
    values: [lease.deliveryId, lease.leaseToken],
  });
  return rowCount === 1;
}
