import { CircleAlert } from "lucide-react";

/** Nothing moves without one. */
export function NoWorker() {
  return (
    <div role="alert" className="flex items-start gap-3 rounded-lg border border-bad bg-bad-tint px-4 py-3">
      <CircleAlert aria-hidden className="mt-0.5 size-4 shrink-0 text-bad" />
      <p>
        <strong className="font-semibold text-bad">No worker is alive, so nothing is being sent.</strong>{" "}
        Events are accepted and kept. Start a worker with{" "}
        <code className="font-mono text-xs">npm run worker</code>; it goes on where the last one stopped.
      </p>
    </div>
  );
}
