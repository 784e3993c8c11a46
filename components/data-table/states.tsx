import { CircleAlert, Filter, Hourglass, type LucideIcon, RefreshCw, SearchX } from "lucide-react";
import type { ReactNode } from "react";
import { Button } from "#components/ui/button.tsx";
import { CopyButton } from "#components/ui/copy-button.tsx";
import { ApiError, errorWords } from "#lib/api/fetcher.ts";
import { capitalize } from "#lib/format.ts";

/** Nothing exists yet: says what will be here, and offers the first action. */
export function EmptyState({ icon: Icon, title, children, action }: EmptyStateProps) {
  return (
    <div className="flex flex-col items-center gap-3 rounded-lg border border-line border-dashed px-6 py-12 text-center">
      <Icon aria-hidden className="size-6 text-ink-3" />
      <h2 className="font-semibold text-base">{title}</h2>
      <div className="flex max-w-prose flex-col gap-2 text-ink-2">{children}</div>
      {action}
    </div>
  );
}

type EmptyStateProps = { icon: LucideIcon; title: string; children: ReactNode; action?: ReactNode };

/** A filter that is set, in words. */
export type ActiveFilter = { name: string; value: string };

/** Something exists, but not for these filters. */
export function NoMatchState({
  noun,
  filters,
  onClear,
}: {
  noun: string;
  filters: ActiveFilter[];
  onClear: () => void;
}) {
  return (
    <div className="flex flex-col items-center gap-3 rounded-lg border border-line bg-surface px-6 py-12 text-center">
      <Filter aria-hidden className="size-6 text-ink-3" />
      <h2 className="font-semibold text-base">No {noun} match</h2>
      <p className="max-w-prose break-words text-ink-2">
        {filters.map(({ name, value }, index) => (
          <span key={name}>
            {index > 0 ? " and " : ""}
            {name} is <strong className="font-medium text-ink">{value}</strong>
          </span>
        ))}
        .
      </p>
      <Button onClick={onClear}>Clear {filters.length === 1 ? "the filter" : "all filters"}</Button>
    </div>
  );
}

type ErrorStateProps = { what: string; error: Error; onRetry: () => void; busy?: boolean };

/** The read failed: what, how to try again, and the id that finds it in the logs. */
export function ErrorState({ what, error, onRetry, busy = false }: ErrorStateProps) {
  if (error instanceof ApiError && error.status === 404) return <MissingState what={what} />;
  return (
    <div
      role="alert"
      className="flex flex-col items-center gap-3 rounded-lg border border-bad bg-bad-tint px-6 py-12 text-center"
    >
      <CircleAlert aria-hidden className="size-6 text-bad" />
      <h2 className="font-semibold text-bad text-base">{what} could not be read</h2>
      <ErrorDetails error={error} />
      <Button onClick={onRetry} busy={busy}>
        {busy ? null : <RefreshCw aria-hidden />}
        Try again
      </Button>
    </div>
  );
}

/** The database stopped the statement because it took too long. */
export function isTooSlow(error: Error | null): error is ApiError {
  return error instanceof ApiError && error.code === "database_timeout";
}

type TooSlowProps = {
  noun: string;
  filters: ActiveFilter[];
  error: ApiError;
  onRetry: () => void;
  busy: boolean;
};

/** Nobody knows what matches: the read was stopped. Says what would make it shorter. */
export function TooSlowState({ noun, filters, error, onRetry, busy }: TooSlowProps) {
  return (
    <div
      role="alert"
      className="flex flex-col items-center gap-3 rounded-lg border border-warn bg-warn-tint px-6 py-12 text-center"
    >
      <Hourglass aria-hidden className="size-6 text-warn" />
      <h2 className="font-semibold text-base text-warn">{capitalize(noun)} could not be read in time</h2>
      <p className="max-w-prose text-ink">
        {filters.length > 0
          ? `To find ${noun} by ${filters.map(({ name }) => name).join(" and ")} took too long, so it was stopped. Narrow it: choose a span of time, or one endpoint.`
          : "The database is busy, so the read was stopped."}
      </p>
      <ErrorDetails error={error} />
      <Button onClick={onRetry} busy={busy}>
        {busy ? null : <RefreshCw aria-hidden />}
        Try again
      </Button>
    </div>
  );
}

/** A record that the address names and that is not there. */
function MissingState({ what }: { what: string }) {
  return (
    <div className="flex flex-col items-center gap-3 rounded-lg border border-line bg-surface px-6 py-12 text-center">
      <SearchX aria-hidden className="size-6 text-ink-3" />
      <h2 className="font-semibold text-base">{what} does not exist</h2>
      <p className="text-ink-2">It may have been deleted, or the id in the address is not complete.</p>
    </div>
  );
}

/** A refresh failed while older data is on the page. */
export function StaleNotice({ error, onRetry, busy }: { error: Error; onRetry: () => void; busy: boolean }) {
  return (
    <div
      role="alert"
      className="mb-3 flex flex-wrap items-center gap-x-3 gap-y-1 rounded-md border border-bad bg-bad-tint px-3 py-2"
    >
      <CircleAlert aria-hidden className="size-4 text-bad" />
      <span className="font-medium text-bad">
        The latest refresh failed; what is shown may be out of date.
      </span>
      <ErrorDetails error={error} />
      <Button className="ml-auto" onClick={onRetry} busy={busy}>
        Try again
      </Button>
    </div>
  );
}

function ErrorDetails({ error }: { error: Error }) {
  const problem = error instanceof ApiError ? error : null;
  return (
    <div className="flex max-w-prose flex-col gap-1 text-ink">
      <p>{problem && problem.fieldErrors.length > 0 ? problem.title : errorWords(error)}</p>
      {problem && problem.fieldErrors.length > 0 ? (
        <ul>
          {problem.fieldErrors.map(({ field, message }) => (
            <li key={`${field} ${message}`}>
              <code className="font-mono text-xs">{field}</code> {message}
            </li>
          ))}
        </ul>
      ) : null}
      {problem?.requestId ? (
        <p className="inline-flex items-center justify-center gap-1 text-xs">
          Request <code className="font-mono">{problem.requestId}</code>
          <CopyButton text={problem.requestId} what="request id" />
        </p>
      ) : null}
    </div>
  );
}

/** The shape of a table whose rows are on their way. */
export function TableSkeleton({ rows = 12 }: { rows?: number }) {
  return (
    <div role="status" className="overflow-hidden rounded-lg border border-line">
      <span className="sr-only">Loading</span>
      <div aria-hidden className="h-9 border-line border-b bg-surface" />
      {Array.from({ length: rows }, (_, row) => (
        <div
          aria-hidden
          // biome-ignore lint/suspicious/noArrayIndexKey: the rows are all alike and never move
          key={row}
          className="flex h-10 items-center gap-6 border-line border-b px-3 last:border-0"
        >
          <span className="skeleton h-3 w-1/5" />
          <span className="skeleton h-3 w-1/6" />
          <span className="skeleton h-3 flex-1" />
          <span className="skeleton h-3 w-1/12" />
        </div>
      ))}
    </div>
  );
}
