import "server-only";
import { cache } from "react";
import { getEndpoint } from "./service.ts";

/** `getEndpoint`, once for each request, however many layouts and pages ask. */
export const endpointForPage = cache(getEndpoint);
