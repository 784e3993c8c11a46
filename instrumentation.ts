/** Runs once in the web process, before it takes requests. */
export async function register(): Promise<void> {
  // Loaded here alone, since it is compiled for a runtime without Node.js too.
  if (process.env.NEXT_RUNTIME === "nodejs") {
    const { prepareRequests } = await import("#lib/api/prepare-requests.ts");
    prepareRequests();
  }
}
