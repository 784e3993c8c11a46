/** An export has at most so many entries, the newest. */
export const maxExportedEntries = 10_000;
