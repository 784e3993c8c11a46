"use client";

import { useQuery } from "@tanstack/react-query";
import Link from "next/link";
import { AuditPanel } from "#components/audit/audit-panel.tsx";
import { ErrorState, StaleNotice } from "#components/data-table/states.tsx";
import { useClockText } from "#components/layout/clock.tsx";
import { PageHeader } from "#components/layout/page-header.tsx";
import { useLiveInterval } from "#components/layout/preferences.ts";
import { RecordSkeleton } from "#components/layout/record-skeleton.tsx";
import { ExactTime } from "#components/layout/time.tsx";
import { Fact, Facts, Panel } from "#components/ui/panel.tsx";
import { withQuery } from "#lib/api/fetcher.ts";
import { formatCount, formatSpan } from "#lib/format.ts";
import { requeueOptions } from "#lib/requeues/client.ts";
import type { Requeue, RequeueDetail } from "#lib/requeues/schema.ts";
import { filterFacts, isUnderWay, progressOf, progressWords } from "#lib/requeues/words.ts";
import {
  reasonSentences,
  requeueModeLabels,
  requeueRefusalSentences,
  requeueStateLabels,
} from "#lib/vocabulary.ts";
import { CancelRequeue } from "./cancel-requeue.tsx";
import { requeueTitle } from "./columns.tsx";
import { RequeueProgress } from "./progress-bar.tsx";
import { RequeueStatePill } from "./state-pill.tsx";

const trail = [{ href: "/requeues", label: "Requeues" }];
/** While it runs, it is looked at this often, however rarely the page refreshes otherwise. */
const watchMs = 1_000;

export function RequeueView({ id }: { id: string }) {
  const live = useLiveInterval();
  const query = useQuery({
    ...requeueOptions(id),
    refetchInterval: (polled) => {
      const interval = live(polled);
      const { data } = polled.state;
      return interval !== false && data && isUnderWay(data) ? watchMs : interval;
    },
  });
  const { data: requeue, error } = query;
  const retry = () => void query.refetch();
  if (!requeue) {
    return (
      <>
        <PageHeader title="Requeue" trail={trail} />
        {error ? (
          <ErrorState what="The requeue" error={error} onRetry={retry} busy={query.isFetching} />
        ) : (
          <RecordSkeleton />
        )}
      </>
    );
  }
  return (
    <>
      <PageHeader
        title={requeueTitle(requeue)}
        trail={trail}
        status={<RequeueStatePill state={requeue.state} />}
        description={<p>{requeue.reason}</p>}
        actions={<CancelRequeue requeue={requeue} />}
      />
      {error ? <StaleNotice error={error} onRetry={retry} busy={query.isFetching} /> : null}
      <div className="grid items-start gap-4 lg:grid-cols-2">
        <div className="flex min-w-0 flex-col gap-4">
          <ProgressPanel requeue={requeue} />
          <LeftPanel requeue={requeue} />
        </div>
        <DetailPanel requeue={requeue} />
      </div>
      <AuditPanel kind="requeue" id={requeue.id} />
    </>
  );
}

function ProgressPanel({ requeue }: { requeue: Requeue }) {
  const { seen, left } = progressOf(requeue);
  const isDiscard = requeue.operation === "discard";
  return (
    <Panel title="Progress">
      <div className="flex flex-col gap-3">
        <RequeueProgress requeue={requeue} />
        <p className="tabular-nums">
          {progressWords(requeue)}. <Outlook requeue={requeue} />
        </p>
        {/* Only what has become of it: the counts change every second. */}
        <p role="status" className="sr-only">
          {requeueStateLabels[requeue.state]}
        </p>
        <Facts>
          <Fact name={isDiscard ? "Discarded" : "Put back"}>{formatCount(requeue.done)}</Fact>
          <Fact name="Left as they were">{formatCount(left)}</Fact>
          <Fact name={isUnderWay(requeue) ? "Still to come" : "Not looked at"}>
            {formatCount(requeue.total - seen)}
          </Fact>
        </Facts>
        <BecameOfThem requeue={requeue} />
      </div>
    </Panel>
  );
}

/** When it will be through, or how it ended. */
function Outlook({ requeue }: { requeue: Requeue }) {
  const { seen } = progressOf(requeue);
  const words = useClockText((nowMs) => {
    switch (requeue.state) {
      case "pending":
        return "A worker takes it up in a moment.";
      case "running": {
        const begun = Date.parse(requeue.started_at ?? requeue.created_at);
        const perMs =
          requeue.rate_per_second === null
            ? seen / Math.max(1, nowMs - begun)
            : requeue.rate_per_second / 1_000;
        return perMs > 0 && seen < requeue.total
          ? `About ${formatSpan((requeue.total - seen) / perMs)} to go.`
          : "";
      }
      case "completed":
        return "It is through.";
      case "cancelled":
        return `${requeue.cancelled_by ?? "Somebody"} cancelled it. What was done stays done.`;
      case "failed":
        return "It was given up after several faults in a row, which the worker's log tells of. What was done stays done.";
    }
  });
  return <>{words}</>;
}

/** Each of those that were put back can be found, by what has become of it. */
function BecameOfThem({ requeue: { id, operation, done } }: { requeue: Requeue }) {
  if (operation === "discard" || done === 0) return null;
  const link = (state: string, words: string) => (
    <Link
      href={withQuery("/deliveries", { requeue: id, state })}
      prefetch={false}
      className="underline underline-offset-2"
    >
      {words}
    </Link>
  );
  return (
    <p className="text-ink-2">
      What was put back goes out by the usual rules: see what {link("pending,in_flight", "waits")}, what{" "}
      {link("delivered", "was delivered")}, and what {link("failed,dead_letter", "failed again")}.
    </p>
  );
}

function LeftPanel({ requeue }: { requeue: RequeueDetail }) {
  const { refused, failed, sample } = requeue;
  if (refused.length === 0 && failed.length === 0) return null;
  const { left } = progressOf(requeue);
  return (
    <Panel title="Left as they were">
      <ul className="flex flex-col gap-1">
        {refused.map(({ why, count }) => (
          <Left key={why} count={count} words={requeueRefusalSentences[why]} />
        ))}
        {failed.map(({ reason, count }) => (
          <Left key={reason} count={count} words={reasonSentences[reason]} />
        ))}
      </ul>
      {sample.length > 0 ? (
        <>
          <h3 className="mt-4 mb-1 text-ink-3 text-xs">
            {sample.length < left ? `The first ${formatCount(sample.length)}` : "These"}
          </h3>
          <ul className="max-h-64 overflow-y-auto">
            {sample.map(({ delivery, why, reason }) => (
              <li key={delivery} className="flex gap-3 py-0.5">
                <Link
                  href={`/deliveries/${delivery}`}
                  prefetch={false}
                  className="shrink-0 font-mono text-xs leading-5 underline underline-offset-2"
                >
                  <span className="sr-only">Delivery </span>
                  {delivery}
                </Link>
                <span className="text-ink-2">
                  {reason === null ? requeueRefusalSentences[why] : reasonSentences[reason]}
                </span>
              </li>
            ))}
          </ul>
        </>
      ) : null}
    </Panel>
  );
}

function Left({ count, words }: { count: number; words: string }) {
  return (
    <li className="flex gap-3">
      <span className="w-14 shrink-0 text-right tabular-nums">{formatCount(count)}</span>
      <span className="text-ink-2">{words}</span>
    </li>
  );
}

function DetailPanel({ requeue }: { requeue: Requeue }) {
  const { filter } = requeue;
  return (
    <Panel title="Details">
      <Facts>
        {filter.endpoint ? (
          <Fact name="Endpoint">
            <Link href={`/endpoints/${filter.endpoint.id}`} className="underline underline-offset-2">
              {filter.endpoint.name}
            </Link>
          </Fact>
        ) : null}
        {filterFacts(filter).map(({ name, value }) => (
          <Fact key={name} name={name}>
            {value}
          </Fact>
        ))}
        {filter.from ? (
          <Fact name="Failed since">
            <ExactTime iso={filter.from} />
          </Fact>
        ) : null}
        <Fact name={filter.to ? "Failed before" : "Failed until"}>
          <ExactTime iso={filter.to ?? requeue.as_of} />
        </Fact>
        {requeue.operation === "requeue" ? (
          <>
            <Fact name="What is sent">{requeueModeLabels[requeue.mode]}</Fact>
            <Fact name="Rate">
              {requeue.rate_per_second === null
                ? "As fast as it goes"
                : `${requeue.rate_per_second} a second`}
            </Fact>
          </>
        ) : null}
        <Fact name="Started by">{requeue.created_by.name}</Fact>
        <Fact name="Started">
          <ExactTime iso={requeue.created_at} />
        </Fact>
        {requeue.ended_at === null ? null : (
          <Fact name="Ended">
            <ExactTime iso={requeue.ended_at} />
          </Fact>
        )}
      </Facts>
    </Panel>
  );
}
