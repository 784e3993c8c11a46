/** As many event types as one page of them has. */
export const catalogueFilters = { limit: 100 };
