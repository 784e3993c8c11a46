export const changeViews = ["waiting", "decided"] as const;
export type ChangeView = (typeof changeViews)[number];
