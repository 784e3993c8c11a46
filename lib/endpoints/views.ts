/** What a list of endpoints can be narrowed to, those that need somebody first. */
export const endpointViews = ["failing", "slow", "breaker_open", "paused", "disabled", "all"] as const;
export type EndpointView = (typeof endpointViews)[number];
