"use client";

import { LoaderCircle } from "lucide-react";
import Link from "next/link";
import { Button } from "#components/ui/button.tsx";
import { ScrollRegion } from "#components/ui/scroll-region.tsx";
import { errorWords } from "#lib/api/fetcher.ts";
import { formatCount, formatNoun } from "#lib/format.ts";
import type { RequeuePreview, RequeuePreviewEndpoint } from "#lib/requeues/schema.ts";
import { deliveriesWords, holdWords, leftWords, previewSentence } from "#lib/requeues/words.ts";
import { deliveryStateLabels, type RequeueOperation } from "#lib/vocabulary.ts";

type PreviewProps = {
  preview: RequeuePreview | undefined;
  error: Error | null;
  busy: boolean;
  operation: RequeueOperation;
  onRetry: () => void;
};

/** What a requeue would do: how many, of whom, and what it would leave. */
export function PreviewView({ preview, error, busy, operation, onRetry }: PreviewProps) {
  if (error) {
    return (
      <div
        role="alert"
        className="flex flex-col items-start gap-2 rounded-md border border-bad bg-bad-tint px-3 py-2"
      >
        <p>They could not be counted. {errorWords(error, { withRequest: true })}</p>
        <Button onClick={onRetry} busy={busy}>
          Try again
        </Button>
      </div>
    );
  }
  if (!preview) {
    return (
      <p role="status" className="flex items-center gap-2 text-ink-2">
        <LoaderCircle aria-hidden className="size-4 motion-safe:animate-spin" />
        Counting
      </p>
    );
  }
  if (preview.total === 0) return <p role="status">Nothing matches: there is nothing to {operation}.</p>;
  const { overlaps, at_most, held, states } = preview;
  const left = leftWords(preview);
  const others = states.filter(({ state }) => state !== "dead_letter");
  return (
    <div aria-busy={busy} className="flex flex-col gap-2">
      <p role="status" className="font-medium">
        {previewSentence(preview, operation)}
      </p>
      {others.length > 0 ? (
        <p className="text-ink-2">
          {states
            .map(({ state, count }) => `${deliveryStateLabels[state]}: ${formatCount(count)}`)
            .join(", ")}
          .
        </p>
      ) : null}
      {at_most ? (
        <p className="text-ink-2">
          These are too many to be rendered for a look: those that the template turns out to have nothing for
          are left as they are.
        </p>
      ) : null}
      {held > 0 ? (
        <p className="text-held">
          {formatCount(held)} of them will not go out at once: their endpoint does not send at the moment.
        </p>
      ) : null}
      {left.length > 0 ? (
        <div className="text-ink-2">
          <p>Left as they are:</p>
          <ul className="list-disc pl-5">
            {left.map((words) => (
              <li key={words}>{words}.</li>
            ))}
          </ul>
        </div>
      ) : null}
      {overlaps.length > 0 ? <Overlaps overlaps={overlaps} /> : null}
      <EndpointTable preview={preview} />
    </div>
  );
}

function Overlaps({ overlaps }: Pick<RequeuePreview, "overlaps">) {
  return (
    <div className="rounded-md border border-line bg-warn-tint px-3 py-2 text-warn">
      {overlaps.map(({ id, count }) => (
        <p key={id ?? ""}>
          {deliveriesWords(count)} {count === 1 ? "is" : "are"} still to be taken by{" "}
          {id === null ? (
            "another requeue"
          ) : (
            <Link href={`/requeues/${id}`} className="underline underline-offset-2">
              a requeue that is under way
            </Link>
          )}
          . Wait for its end, or cancel it.
        </p>
      ))}
    </div>
  );
}

function EndpointTable({ preview: { endpoints, endpoint_count } }: { preview: RequeuePreview }) {
  const more = endpoint_count - endpoints.length;
  return (
    <ScrollRegion label="By endpoint" className="max-h-48 overflow-y-auto rounded-md border border-line">
      <table className="w-full">
        <caption className="sr-only">By endpoint</caption>
        <thead className="sr-only">
          <tr>
            <th scope="col">Endpoint</th>
            <th scope="col">Deliveries</th>
          </tr>
        </thead>
        <tbody>
          {endpoints.map((endpoint) => (
            <tr key={endpoint.id} className="border-line border-b last:border-b-0">
              <td className="px-3 py-1.5">
                {endpoint.name} <span className="text-ink-3">{endpoint.affiliate.name}</span>
                <EndpointNotes endpoint={endpoint} isOnly={endpoint_count === 1} />
              </td>
              <td className="whitespace-nowrap px-3 py-1.5 text-right align-top tabular-nums">
                {formatCount(endpoint.accepted)}
                {endpoint.accepted === endpoint.total ? null : (
                  <span className="text-ink-3"> of {formatCount(endpoint.total)}</span>
                )}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
      {more > 0 ? (
        <p className="px-3 py-1.5 text-ink-2">And {formatNoun(more, "endpoint")} with fewer.</p>
      ) : null}
    </ScrollRegion>
  );
}

/** What is left of the only endpoint stands above the table already. */
function EndpointNotes({ endpoint, isOnly }: { endpoint: RequeuePreviewEndpoint; isOnly: boolean }) {
  const { hold, status } = endpoint;
  const note = hold ? holdWords[hold] : status === "deleted" ? "deleted" : null;
  return (
    <>
      {note ? <span className="block text-held text-xs">{note}</span> : null}
      {isOnly
        ? null
        : leftWords(endpoint).map((words) => (
            <span key={words} className="block text-ink-2 text-xs">
              {words}
            </span>
          ))}
    </>
  );
}
