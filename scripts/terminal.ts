import { ConfigError } from "#lib/config.ts";
import { StartError } from "./start-error.ts";

type Stoppable = { stop: () => Promise<void>; done: Promise<number> };

/**
 * Runs `start` as the program at the terminal: SIGINT, SIGTERM and SIGHUP stop what it started (or its start), a
 * fault that the person can mend is printed as its message alone, and the process exits with the code that fits.
 */
export async function untilStopped(start: (signal: AbortSignal) => Promise<Stoppable>): Promise<never> {
  const stopping = new AbortController();
  // A terminal and npm may both pass on one Ctrl-C: every signal after the first means the same.
  for (const name of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.on(name, () => stopping.abort());
  try {
    const running = await start(stopping.signal);
    const stop = () => {
      console.error("Stopping");
      void running.stop();
    };
    if (stopping.signal.aborted) stop();
    else stopping.signal.addEventListener("abort", stop);
    process.exit(await running.done);
  } catch (error) {
    if (stopping.signal.aborted) process.exit(0);
    console.error(error instanceof ConfigError || error instanceof StartError ? error.message : error);
    process.exit(1);
  }
}
