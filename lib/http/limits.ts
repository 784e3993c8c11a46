/** How long a connection may take, TLS included. */
export const connectTimeoutMs = 5_000;

/** How much of an answer is kept. */
export const keptBodyBytes = 64 * 1_024;
