"use client";

import { useMutation } from "@tanstack/react-query";
import { CircleCheck, Hand, Hourglass, Unplug } from "lucide-react";
import { useState } from "react";
import { useClockText } from "#components/layout/clock.tsx";
import { useRefusal } from "#components/layout/reader.tsx";
import { ExactTime } from "#components/layout/time.tsx";
import { Button } from "#components/ui/button.tsx";
import { Field, Input } from "#components/ui/field.tsx";
import { ConfirmDialog } from "#components/ui/lazy-dialog.tsx";
import { Fact, Facts, Panel } from "#components/ui/panel.tsx";
import { Pill, type PillLook } from "#components/ui/pill.tsx";
import { toastDone } from "#components/ui/toast.tsx";
import { errorWords } from "#lib/api/fetcher.ts";
import { type BreakerVerb, moveBreakerOptions } from "#lib/breakers/client.ts";
import type { BreakerStatus } from "#lib/breakers/schema.ts";
import type { EndpointDetail } from "#lib/endpoints/schema.ts";
import { breakerSentence } from "#lib/endpoints/words.ts";
import { formatSpan } from "#lib/format.ts";
import { type BreakerState, breakerStateLabels } from "#lib/vocabulary.ts";
import { waitingWords } from "./backlog-words.ts";

const looks = {
  closed: { tone: "ok", icon: CircleCheck },
  open: { tone: "bad", icon: Unplug },
  half_open: { tone: "warn", icon: Hourglass },
} satisfies Record<BreakerState, PillLook>;

const verbs = {
  hold: { label: "Hold open", question: "Hold the breaker open?", done: "Its breaker is held open." },
  reset: { label: "Reset", question: "Reset the breaker?", done: "Reset; the next delivery is the probe." },
  close: { label: "Close", question: "Close the breaker?", done: "Its breaker is closed." },
} satisfies Record<BreakerVerb, { label: string; question: string; done: string }>;

const verbNames = Object.keys(verbs) as BreakerVerb[];

/** Where the breaker stands, what it does next, and what may be done to it by hand. */
export function BreakerPanel({ endpoint }: { endpoint: EndpointDetail }) {
  const { breaker } = endpoint;
  const [verb, setVerb] = useState<BreakerVerb>("hold");
  const [asking, setAsking] = useState(false);
  const [reason, setReason] = useState("");
  const move = useMutation(moveBreakerOptions);
  const sentence = useClockText((nowMs) => breakerSentence(breaker, nowMs));
  const ask = (asked: BreakerVerb) => {
    move.reset();
    setReason("");
    setVerb(asked);
    setAsking(true);
  };
  const confirm = () =>
    move.mutate(
      { id: endpoint.id, verb, reason: reason.trim() },
      {
        onSuccess: () => {
          setAsking(false);
          toastDone(verbs[verb].done, { href: `/endpoints/${endpoint.id}`, label: endpoint.name });
        },
      },
    );
  // One right for all three.
  const mayNot = useRefusal("endpoint.hold_breaker");
  return (
    <Panel title="Breaker" aside={<BreakerPill breaker={breaker} />}>
      <p className="mb-3 text-ink-2">{sentence}</p>
      <BreakerFacts breaker={breaker} />
      <div className="mt-4 flex flex-wrap items-start gap-2">
        {verbNames.map((name) => (
          <Button key={name} disabledReason={mayNot ?? refusal(name, breaker)} onClick={() => ask(name)}>
            {verbs[name].label}
          </Button>
        ))}
      </div>
      <ConfirmDialog
        open={asking}
        onOpenChange={setAsking}
        title={verbs[verb].question}
        confirmLabel={verbs[verb].label}
        onConfirm={confirm}
        busy={move.isPending}
        error={move.error ? errorWords(move.error, { withRequest: true }) : null}
        confirmDisabledReason={verb === "hold" && reason.trim() === "" ? "Say why first." : null}
        fields={
          verb === "hold" ? (
            <Field label="Reason" hint="It is recorded.">
              {(ids) => (
                <Input
                  {...ids}
                  value={reason}
                  maxLength={500}
                  autoComplete="off"
                  onChange={(event) => setReason(event.target.value)}
                />
              )}
            </Field>
          ) : null
        }
      >
        <Consequence verb={verb} endpoint={endpoint} />
      </ConfirmDialog>
    </Panel>
  );
}

function BreakerPill({ breaker }: { breaker: BreakerStatus }) {
  if (breaker.held_by !== null) {
    return (
      <Pill tone="held" icon={Hand}>
        Held open
      </Pill>
    );
  }
  return <Pill {...looks[breaker.state]}>{breakerStateLabels[breaker.state]}</Pill>;
}

function BreakerFacts({ breaker }: { breaker: BreakerStatus }) {
  return (
    <Facts>
      <Fact name="Since">
        {breaker.changed_at ? <ExactTime iso={breaker.changed_at} /> : "It has never opened"}
      </Fact>
      {breaker.next_probe_at === null ? null : (
        <Fact name="Next probe">
          <ExactTime iso={breaker.next_probe_at} />
        </Fact>
      )}
      {breaker.held_by === null ? (
        <Fact name="Cooldown">
          {breaker.state === "closed"
            ? `Would stay open for ${formatSpan(breaker.cooldown_seconds * 1_000)}`
            : `${formatSpan(breaker.cooldown_seconds * 1_000)}, doubled when a probe fails`}
        </Fact>
      ) : null}
    </Facts>
  );
}

/** Why this cannot be done as the breaker stands; null when it can. */
function refusal(verb: BreakerVerb, { state, held_by }: BreakerStatus): string | null {
  if (verb === "hold") return held_by === null ? null : "It is held open already.";
  if (state === "closed")
    return verb === "reset" ? "Only an open one can be reset." : "It is closed already.";
  return verb === "reset" && state === "half_open" ? "Its probe is under way." : null;
}

function Consequence({ verb, endpoint }: { verb: BreakerVerb; endpoint: EndpointDetail }) {
  const waiting = waitingWords(endpoint.backlog);
  const held = endpoint.breaker.held_by === null ? "" : `The hold by ${endpoint.breaker.held_by} ends. `;
  if (verb === "hold") {
    return (
      <>
        <p>Nothing is sent to it, not even a probe, until somebody resets or closes the breaker.</p>
        <p>
          {waiting ? `${waiting} will wait` : "What comes will wait"}, and no attempt is used up meanwhile.
        </p>
      </>
    );
  }
  if (verb === "reset") {
    return (
      <>
        <p>
          {held}The next delivery is sent as a probe, without waiting for the cooldown. If it succeeds the
          breaker closes; if it fails, it stays open and doubles its cooldown, beginning again from the
          shortest.
        </p>
        <p>{waiting ? `${waiting} will follow a probe that succeeds.` : "Nothing waits for it yet."}</p>
      </>
    );
  }
  return (
    <>
      <p>
        {held}It closes without a probe, so deliveries go out again at once: one at a time at first, then
        twice as many with every round of answers. If the endpoint still fails, they use up attempts.
      </p>
      <p>{waiting ? `${waiting} will go out.` : "Nothing waits for it at the moment."}</p>
    </>
  );
}
