"use client";

import { useMutation } from "@tanstack/react-query";
import { CircleCheck, CircleX, Send } from "lucide-react";
import { useState } from "react";
import { useEventWords, useRecentEvents } from "#components/events/recent-events.tsx";
import { useIsAffiliate, useRefusal } from "#components/layout/reader.tsx";
import { useReasonWords } from "#components/layout/reason-words.ts";
import { Button } from "#components/ui/button.tsx";
import { CodeBlock } from "#components/ui/code-block.tsx";
import { Field, Select } from "#components/ui/field.tsx";
import { ConfirmDialog } from "#components/ui/lazy-dialog.tsx";
import { Panel } from "#components/ui/panel.tsx";
import { Pill } from "#components/ui/pill.tsx";
import { errorWords } from "#lib/api/fetcher.ts";
import { classify } from "#lib/delivery/classify.ts";
import { testEndpointOptions } from "#lib/endpoint-tests/client.ts";
import type { EndpointTest } from "#lib/endpoint-tests/schema.ts";
import type { Endpoint } from "#lib/endpoints/schema.ts";
import { formatMs } from "#lib/format.ts";
import type { Reason } from "#lib/vocabulary.ts";

type SendTestPanelProps = {
  endpoint: Endpoint;
  /** Whether the page holds changes that a test does not know of. */
  hasUnsaved?: boolean;
};

/** What the endpoint would be sent, and on demand what it answers to it. */
export function SendTestPanel({ endpoint, hasUnsaved = false }: SendTestPanelProps) {
  const [eventId, setEventId] = useState("");
  const [asking, setAsking] = useState(false);
  const test = useMutation(testEndpointOptions);
  const isOwner = useIsAffiliate();
  const refusal = useRefusal("endpoint.test");
  const run = (live: boolean) =>
    test.mutate(
      { id: endpoint.id, live, ...(eventId === "" ? {} : { event_id: eventId }) },
      { onSettled: () => setAsking(false) },
    );
  return (
    <Panel title="Send a test">
      <div className="flex flex-col gap-4">
        <p className="text-ink-2">
          Not a delivery: it counts in no statistics, and no breaker or limit holds it back.
          {isOwner ? "" : " Sensitive values of a real event are masked here, but not in what is sent."}
          {hasUnsaved ? " It knows only what is saved, not the changes above." : ""}
        </p>
        <div className="flex flex-wrap items-end gap-2">
          <EventChoice endpoint={endpoint} value={eventId} onChange={setEventId} />
          <Button
            busy={test.isPending && test.variables?.live === false}
            disabledReason={refusal}
            onClick={() => run(false)}
          >
            Show the request
          </Button>
          <Button
            tone="primary"
            busy={test.isPending && test.variables?.live === true}
            disabledReason={refusal}
            onClick={() => setAsking(true)}
          >
            <Send aria-hidden />
            Send it now
          </Button>
        </div>
        <div role="status" aria-label="Result of the test">
          {test.error ? <p className="text-bad">{errorWords(test.error, { withRequest: true })}</p> : null}
          {test.data ? <Result test={test.data} /> : null}
        </div>
      </div>
      <ConfirmDialog
        open={asking}
        onOpenChange={setAsking}
        title="Send a real request?"
        confirmLabel="Send it now"
        onConfirm={() => run(true)}
        busy={test.isPending}
      >
        <p>
          {isOwner ? "Your" : "Their"} server gets one request, as it would for this event; only the header
          posthorn-test tells it from a delivery.
        </p>
        <p>
          {isOwner
            ? "If it books what it is sent without looking at that, it will book this too."
            : "If they book what they are sent without looking at that, they will book this too."}
        </p>
      </ConfirmDialog>
    </Panel>
  );
}

type EventChoiceProps = { endpoint: Endpoint; value: string; onChange: (eventId: string) => void };

function EventChoice({ endpoint, value, onChange }: EventChoiceProps) {
  const { events, error } = useRecentEvents(endpoint.affiliate.key, endpoint.event_types);
  const words = useEventWords();
  return (
    <Field label="Event" className="min-w-0 grow basis-80" error={error ? errorWords(error) : undefined}>
      {(ids) => (
        <Select {...ids} value={value} onChange={({ target }) => onChange(target.value)}>
          <option value="">The catalogue's example</option>
          {events.map((event) => (
            <option key={event.id} value={event.id}>
              {words(event)}
            </option>
          ))}
        </Select>
      )}
    </Field>
  );
}

function Result({ test }: { test: EndpointTest }) {
  const words = useReasonWords();
  const reason = test.skipped ?? test.failed;
  return (
    <div className="grid items-start gap-4 lg:grid-cols-2">
      <div className="flex min-w-0 flex-col gap-2">
        <h3 className="font-medium text-sm">Request</h3>
        {reason ? (
          <p className="text-warn">
            {test.skipped ? "Skipped, nothing would be sent" : "A dead letter, nothing can be sent"}:{" "}
            {words.sentence(reason)}. {words.remedy(reason)}
          </p>
        ) : null}
        {test.request ? <Request request={test.request} /> : null}
      </div>
      <div className="flex min-w-0 flex-col gap-2">
        <h3 className="font-medium text-sm">Answer</h3>
        <Answer test={test} />
      </div>
    </div>
  );
}

function Request({ request }: { request: NonNullable<EndpointTest["request"]> }) {
  return (
    <>
      <CodeBlock text={request.url} what="URL of the test" note={request.method} />
      <CodeBlock text={headerText(request.headers)} what="Headers of the test" />
      {request.body === null ? null : <CodeBlock text={request.body} what="Body of the test" />}
    </>
  );
}

function Answer({ test: { response, error, duration_ms, delivered } }: { test: EndpointTest }) {
  const words = useReasonWords();
  const isOwner = useIsAffiliate();
  if (!response && !error) return <p className="text-ink-2">Nothing was sent.</p>;
  const time = duration_ms === null ? "" : formatMs(duration_ms);
  const failure = error?.reason ?? (response && !delivered ? refusedWith(response.status) : null);
  return (
    <>
      <p className="flex flex-wrap items-center gap-2">
        <Pill tone={delivered ? "ok" : "bad"} icon={delivered ? CircleCheck : CircleX}>
          {delivered ? "Would count as delivered" : "Would not count as delivered"}
        </Pill>
        <span className="font-mono text-xs">{response ? response.status : error?.code}</span>
        <span className="text-ink-2">{time}</span>
      </p>
      {failure ? (
        <p className="text-ink-2">
          {words.sentence(failure)}. {isOwner ? words.remedy(failure) : ""}
        </p>
      ) : null}
      {response ? (
        <>
          <CodeBlock text={headerText(response.headers)} what="Headers of the answer" />
          {response.body === "" ? (
            <p className="text-ink-2">The body is empty.</p>
          ) : (
            <CodeBlock
              text={response.body}
              what="Body of the answer"
              {...(response.body_truncated ? { note: "Cut here: the rest of the answer was not kept." } : {})}
            />
          )}
        </>
      ) : null}
    </>
  );
}

/** Why an answer with this status is no success; a good status was refused by the endpoint's response rules. */
function refusedWith(status: number): Reason {
  return classify({ status }).reason ?? "rejected_by_response";
}

function headerText(headers: readonly (readonly [string, string])[]): string {
  return headers.map(([name, value]) => `${name}: ${value}`).join("\n");
}
