export const maxReasonLength = 200;
export const minReasonLength = 3;
