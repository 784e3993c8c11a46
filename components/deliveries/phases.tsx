import type { Attempt } from "#lib/deliveries/schema.ts";
import { formatMs } from "#lib/format.ts";

type Phase = { name: string; ms: number; shade: string };

/** Where an attempt's time went: a bar, and the same in words. */
export function Phases({ attempt }: { attempt: Attempt }) {
  const phases = phasesOf(attempt);
  if (attempt.duration_ms === null) return null;
  const total = attempt.duration_ms;
  const reused = attempt.connect_ms === null && attempt.first_byte_ms !== null;
  return (
    <div className="flex flex-col gap-1.5">
      <div aria-hidden className="flex h-2 gap-px overflow-hidden rounded-full bg-hover">
        {phases.map(({ name, ms, shade }) => (
          <span
            key={name}
            className={shade}
            style={{ width: `${total > 0 ? Math.max((ms / total) * 100, 0.5) : 0}%` }}
          />
        ))}
      </div>
      <dl className="flex flex-wrap gap-x-4 gap-y-1 text-xs">
        {phases.map(({ name, ms, shade }) => (
          <div key={name} className="flex items-center gap-1.5">
            <span aria-hidden className={`size-2 rounded-full ${shade}`} />
            <dt className="text-ink-3">{name}</dt>
            <dd>{formatMs(ms)}</dd>
          </div>
        ))}
        <div className="flex items-center gap-1.5">
          <dt className="text-ink-3">Total</dt>
          <dd className="font-medium">{formatMs(total)}</dd>
        </div>
        {reused ? (
          <div>
            <dt className="sr-only">Connection</dt>
            <dd className="text-ink-3">over a connection that was already open</dd>
          </div>
        ) : null}
      </dl>
    </div>
  );
}

/** Phases one after the other; waiting for a connection counts as waiting for the first byte. */
function phasesOf(attempt: Attempt): Phase[] {
  const { dns_ms, connect_ms, tls_ms, first_byte_ms, duration_ms } = attempt;
  const setUpMs = (dns_ms ?? 0) + (connect_ms ?? 0) + (tls_ms ?? 0);
  const phases: (Omit<Phase, "ms"> & { ms: number | null })[] = [
    { name: "DNS", ms: dns_ms, shade: "bg-ink-3/30" },
    { name: "Connect", ms: connect_ms, shade: "bg-ink-3/50" },
    { name: "TLS", ms: tls_ms, shade: "bg-ink-3/70" },
    {
      name: "First byte",
      ms: first_byte_ms === null ? null : Math.max(first_byte_ms - setUpMs, 0),
      shade: "bg-ink-3",
    },
    {
      name: "Rest of the answer",
      ms: first_byte_ms === null || duration_ms === null ? null : Math.max(duration_ms - first_byte_ms, 0),
      shade: "bg-ink",
    },
  ];
  return phases.filter((phase): phase is Phase => phase.ms !== null);
}
