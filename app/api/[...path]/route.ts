import { unknownRoute } from "#lib/api/route.ts";

/** Whatever no other route serves is told so in the API's own form. */
export const GET = unknownRoute;
export const POST = unknownRoute;
export const PUT = unknownRoute;
export const PATCH = unknownRoute;
export const DELETE = unknownRoute;
