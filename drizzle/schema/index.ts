export * from "./affiliates.ts";
export * from "./deliveries.ts";
export * from "./endpoints.ts";
export * from "./event-types.ts";
export * from "./events.ts";
export * from "./latency.ts";
export * from "./namespace.ts";
export * from "./operations.ts";
