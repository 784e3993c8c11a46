"use client";

import { ChevronRight, CircleAlert, CircleCheck, CircleHelp, CircleX } from "lucide-react";
import { useIsAffiliate } from "#components/layout/reader.tsx";
import { RelativeTime } from "#components/layout/time.tsx";
import { CodeBlock } from "#components/ui/code-block.tsx";
import { CopyableMono } from "#components/ui/mono.tsx";
import { Pill, type PillLook } from "#components/ui/pill.tsx";
import type { Attempt } from "#lib/deliveries/schema.ts";
import { attemptSentence } from "#lib/deliveries/words.ts";
import { toOwner } from "#lib/endpoints/owner-words.ts";
import { formatMs } from "#lib/format.ts";
import { type AttemptOutcome, attemptOutcomeLabels, type HttpMethod } from "#lib/vocabulary.ts";
import { ExactAttemptTime } from "./exact-attempt-time.tsx";
import { Phases } from "./phases.tsx";

const looks = {
  delivered: { tone: "ok", icon: CircleCheck },
  transient: { tone: "warn", icon: CircleAlert },
  permanent: { tone: "bad", icon: CircleX },
  worker_lost: { tone: "idle", icon: CircleHelp },
} satisfies Record<AttemptOutcome, PillLook>;

type AttemptItemProps = {
  attempt: Attempt;
  /** Null where it is no longer known. */
  method: HttpMethod | null;
  open: boolean;
};

/** One request and what came of it; the details open on demand, those of the latest at once. */
export function AttemptItem({ attempt, method, open }: AttemptItemProps) {
  const code = attempt.status ?? attempt.error_code;
  const sentence = attemptSentence(attempt);
  const isOwner = useIsAffiliate();
  return (
    <li>
      <details open={open} className="group border-line border-b">
        <summary className="flex list-none flex-wrap items-center gap-x-3 gap-y-1 px-4 py-2.5 hover:bg-hover focus-visible:-outline-offset-2">
          <ChevronRight aria-hidden className="size-4 text-ink-3 transition-transform group-open:rotate-90" />
          <span className="font-medium">Attempt {attempt.number}</span>
          <Pill {...looks[attempt.outcome]}>{attemptOutcomeLabels[attempt.outcome]}</Pill>
          {code === null ? null : <code className="font-mono text-xs">{code}</code>}
          {sentence === null ? null : (
            <span className="wrap-anywhere min-w-0 text-ink-2">{isOwner ? toOwner(sentence) : sentence}</span>
          )}
          <span className="ml-auto flex gap-3 text-ink-2">
            {attempt.duration_ms === null ? null : <span>{formatMs(attempt.duration_ms)}</span>}
            <RelativeTime iso={attempt.started_at} />
          </span>
        </summary>
        <div className="flex flex-col gap-4 px-4 pt-1 pb-4 sm:pl-11">
          <ExactAttemptTime attempt={attempt} />
          <Phases attempt={attempt} />
          {attempt.request_url === null ? null : (
            <div className="flex min-w-0 items-center gap-2">
              <span className="font-mono text-ink-3 text-xs">{method}</span>
              <CopyableMono text={attempt.request_url} what="URL" />
            </div>
          )}
          <Answer attempt={attempt} />
        </div>
      </details>
    </li>
  );
}

function Answer({ attempt }: { attempt: Attempt }) {
  if (attempt.outcome === "worker_lost")
    return <p className="text-ink-2">Whether a request was made is not known.</p>;
  if (attempt.status === null) return <p className="text-ink-2">No answer came.</p>;
  if (attempt.response_headers === null && attempt.response_body === null) {
    return <p className="text-ink-2">What was answered is no longer kept; only the status is.</p>;
  }
  const headers = (attempt.response_headers ?? []).map(([name, value]) => `${name}: ${value}`).join("\n");
  return (
    <div className="grid gap-4 xl:grid-cols-2">
      <div className="flex min-w-0 flex-col gap-1">
        <h3 className="font-medium text-xs">Response headers</h3>
        {headers ? <CodeBlock text={headers} what="Response headers" /> : <p className="text-ink-2">None.</p>}
      </div>
      <div className="flex min-w-0 flex-col gap-1">
        <h3 className="font-medium text-xs">Response body</h3>
        {attempt.response_body ? (
          <CodeBlock
            text={attempt.response_body}
            what="Response body"
            {...(attempt.response_body_truncated
              ? { note: "Cut here: the rest of the answer was not kept." }
              : {})}
          />
        ) : (
          <p className="text-ink-2">Empty.</p>
        )}
      </div>
    </div>
  );
}
