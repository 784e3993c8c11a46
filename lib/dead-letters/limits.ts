/** An export has at most so many, the newest. */
export const maxExportedDeadLetters = 100_000;
