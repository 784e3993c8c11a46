/** An export has at most so many deliveries, the newest. */
export const maxExportedDeliveries = 100_000;
