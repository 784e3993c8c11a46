import { mutationOptions } from "@tanstack/react-query";
import { callApi } from "#lib/api/fetcher.ts";
import type { ViewAs } from "./schema.ts";

const path = "/api/console/view-as";

/** Makes this session see the affiliate's portal, read-only. */
export const viewAsOptions = mutationOptions({
  mutationFn: (given: ViewAs) => callApi<void>(path, { method: "POST", body: given }),
});

export const stopViewingOptions = mutationOptions({
  mutationFn: () => callApi<void>(path, { method: "DELETE" }),
});
