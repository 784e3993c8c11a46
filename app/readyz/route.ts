import { readiness } from "#lib/api/readiness.ts";

/** 200 when requests can be served, 503 while the database cannot be reached. */
export const GET = readiness;
