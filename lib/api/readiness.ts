import { appDatabase } from "#lib/db/app.ts";

/** Whether the database answers and is migrated. The tables are asked, not only the connection. */
export async function readiness(): Promise<Response> {
  const isReady = await appDatabase()
    .pool.query("select from posthorn.event_types limit 1")
    .then(
      () => true,
      () => false,
    );
  return Response.json(
    { status: isReady ? "ok" : "database_unavailable" },
    {
      status: isReady ? 200 : 503,
      headers: { "cache-control": "no-store", ...(isReady ? {} : { "retry-after": "2" }) },
    },
  );
}
