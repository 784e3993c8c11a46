import { mutationOptions } from "@tanstack/react-query";
import type { z } from "zod";
import { callApi } from "#lib/api/fetcher.ts";
import type { EndpointTest, endpointTestRequest } from "./schema.ts";

/** Shows what the endpoint, as it is saved, would be sent; with `live` it is sent, once and for real. */
export const testEndpointOptions = mutationOptions({
  mutationFn: ({ id, ...test }: { id: string } & z.input<typeof endpointTestRequest>) =>
    callApi<EndpointTest>(`/api/console/endpoints/${encodeURIComponent(id)}/test`, {
      method: "POST",
      body: test,
    }),
});
