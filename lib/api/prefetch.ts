import "server-only";
import { type DehydratedState, dehydrate, QueryClient } from "@tanstack/react-query";

type Read = { options: { queryKey: readonly unknown[] }; read: () => Promise<unknown> };

/**
 * Reads what a page needs, each under the key of the client's own query. What fails is left out: the browser
 * then asks the route itself and shows that answer, with its request id.
 */
export async function prefetch(...reads: Read[]): Promise<DehydratedState> {
  const client = new QueryClient();
  await Promise.all(
    reads.map(({ options, read }) =>
      client.prefetchQuery({ queryKey: options.queryKey, queryFn: read, retry: false }),
    ),
  );
  return dehydrate(client);
}
