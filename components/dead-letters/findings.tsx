"use client";

import { useQuery } from "@tanstack/react-query";
import { CircleCheck } from "lucide-react";
import Link from "next/link";
import { useId, useState } from "react";
import { ErrorState, StaleNotice } from "#components/data-table/states.tsx";
import { useLiveInterval } from "#components/layout/preferences.ts";
import { RelativeTime } from "#components/layout/time.tsx";
import { Button } from "#components/ui/button.tsx";
import { withQuery } from "#lib/api/fetcher.ts";
import { deadLetterFindingsOptions } from "#lib/dead-letters/client.ts";
import type { DeadLetterFindings } from "#lib/dead-letters/schema.ts";
import { formatCount } from "#lib/format.ts";
import { FindingCard } from "./finding-card.tsx";
import { FindingsSkeleton } from "./findings-skeleton.tsx";

const shownAtFirst = 6;

/** What the dead letters have in common, with what to do about each. */
export function Findings({ filters }: { filters: { endpoint?: string; affiliate?: string } }) {
  const headingId = useId();
  const query = useQuery({ ...deadLetterFindingsOptions(filters), refetchInterval: useLiveInterval() });
  const retry = () => void query.refetch();
  const { data, error } = query;
  return (
    <section aria-labelledby={headingId} className="mb-6">
      <div className="mb-2 flex flex-wrap items-baseline justify-between gap-x-4">
        <h2 id={headingId} className="font-semibold text-sm">
          What they show
        </h2>
        {data ? <LookedAt at={data.looked_at} /> : null}
      </div>
      {data ? (
        <>
          {error ? <StaleNotice error={error} onRetry={retry} busy={query.isFetching} /> : null}
          <Cards findings={data} allHref={withQuery("/alerts", { view: "open", ...filters })} />
        </>
      ) : error ? (
        <ErrorState what="The findings" error={error} onRetry={retry} busy={query.isFetching} />
      ) : (
        <FindingsSkeleton />
      )}
    </section>
  );
}

function LookedAt({ at }: { at: string | null }) {
  return (
    <p className="text-ink-3 text-xs">
      {at === null ? (
        "No worker has looked at them yet"
      ) : (
        <>
          Looked at <RelativeTime iso={at} />, of the last 30 days
        </>
      )}
    </p>
  );
}

function Cards({
  findings: { data, count, looked_at },
  allHref,
}: {
  findings: DeadLetterFindings;
  allHref: string;
}) {
  const [all, setAll] = useState(false);
  if (data.length === 0) {
    return (
      <p className="flex items-center gap-2 rounded-lg border border-line px-4 py-3 text-ink-2">
        <CircleCheck aria-hidden className="size-4 shrink-0 text-ink-3" />
        {looked_at === null
          ? "Once a worker runs, it looks every 30 s for what dead letters have in common."
          : "Nothing that dead letters have in common: no outage, no changed credentials, no other pattern."}
      </p>
    );
  }
  const shown = all ? data : data.slice(0, shownAtFirst);
  return (
    <>
      <div className="grid gap-3 lg:grid-cols-2 2xl:grid-cols-3">
        {shown.map((finding) => (
          <FindingCard key={finding.id} finding={finding} />
        ))}
      </div>
      {data.length > shown.length ? (
        <Button tone="quiet" className="mt-2" onClick={() => setAll(true)}>
          {data.length < count
            ? `Show ${data.length} of ${formatCount(count)} findings`
            : `Show all ${count} findings`}
        </Button>
      ) : data.length < count ? (
        <p className="mt-2 text-ink-2">
          And {formatCount(count - data.length)} with fewer dead letters:{" "}
          <Link href={allHref} prefetch={false} className="underline underline-offset-2">
            all that are open
          </Link>
          .
        </p>
      ) : null}
    </>
  );
}
