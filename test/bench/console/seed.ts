import { type Seeding, timed } from "./fill.ts";
import { seedCatalogue } from "./seed-catalogue.ts";
import { seedLatency, seedPresent } from "./seed-latency.ts";
import { seedPeople } from "./seed-people.ts";
import { seedTraffic } from "./seed-traffic.ts";

/**
 * Fills a migrated, empty database by SQL, the same for the same sizes but for the time that it ends at. What rows say
 * fits together where a page reads it; hashes, secrets and answers are made up.
 */
export async function seedConsole(seeding: Seeding): Promise<void> {
  const { pool, sizes } = seeding;
  if (sizes.endpoints - sizes.largest < 2 * (sizes.affiliates - 1)) {
    throw new Error("every affiliate needs two endpoints beside those of the largest");
  }
  await pool.query("create schema bench");
  await seedCatalogue(seeding);
  // Two at once, since a PostgreSQL process fills one core.
  await Promise.all([seedTraffic(seeding), seedLatency(seeding).then(() => seedPeople(seeding))]);
  await timed(seeding, "vacuum and analyze", () => pool.query("vacuum (analyze)"));
  await timed(seeding, "what moved since", () => moveLatest(seeding));
  await seedPresent(seeding);
  await pool.query("drop schema bench cascade");
}

/**
 * As in a database in use, where claims and settlements have written since the last vacuum: the latest twentieth of the
 * deliveries is on pages that an index alone cannot answer for.
 */
async function moveLatest({ pool, sizes }: Seeding): Promise<void> {
  await pool.query("update posthorn.deliveries set lost_in_a_row = 0 where id > $1", [
    Math.floor(sizes.deliveries * 0.95),
  ]);
}
