import pg from "pg";

export type Listener = { close: () => Promise<void> };

const firstRetryMs = 250;
const lastRetryMs = 10_000;

/**
 * Calls `onNotify` with the payload of every notification on `channel`, and with null whenever it begins to listen, over a connection of its own, which is made again with
 * back-off when it breaks. Notifications sent meanwhile are lost: the listener must also look by itself.
 */
export function listen(options: {
  url: string;
  channel: string;
  onNotify: (payload: string | null) => void;
  onLost: (error: Error) => void;
}): Listener {
  let closed = false;
  let client: pg.Client | null = null;
  let retry: NodeJS.Timeout | null = null;
  let retryMs = firstRetryMs;

  async function connect(): Promise<void> {
    const connection = new pg.Client({
      connectionString: options.url,
      application_name: "posthorn-listen",
      connectionTimeoutMillis: 5_000,
      keepAlive: true,
    });
    client = connection;
    let lost = false;
    const onLost = (error: Error) => {
      if (lost || closed) return;
      lost = true;
      options.onLost(error);
      connection.end().catch(() => undefined);
      retry = setTimeout(() => {
        opened = connect();
      }, retryMs);
      retryMs = Math.min(retryMs * 2, lastRetryMs);
    };
    connection.on("error", onLost);
    connection.on("end", () => onLost(new Error("connection ended")));
    connection.on("notification", ({ payload }) => options.onNotify(payload ?? null));
    try {
      await connection.connect();
      await connection.query(`listen ${pg.escapeIdentifier(options.channel)}`);
      retryMs = firstRetryMs;
      options.onNotify(null);
    } catch (error) {
      onLost(error as Error);
    }
  }

  let opened = connect();
  return {
    close: async () => {
      closed = true;
      if (retry) clearTimeout(retry);
      await opened;
      await client?.end().catch(() => undefined);
    },
  };
}
