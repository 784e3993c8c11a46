import { mutationOptions } from "@tanstack/react-query";
import { callApi } from "#lib/api/fetcher.ts";
import type { PortalEntry } from "./schema.ts";

export const enterPortalOptions = mutationOptions({
  mutationFn: (given: PortalEntry) =>
    callApi<void>("/api/console/portal-enter", { method: "POST", body: given }),
});
