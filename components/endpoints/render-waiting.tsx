"use client";

import { useMutation } from "@tanstack/react-query";
import { WandSparkles } from "lucide-react";
import { useState } from "react";
import { usePlace, useRefusal } from "#components/layout/reader.tsx";
import { Button } from "#components/ui/button.tsx";
import { ConfirmDialog } from "#components/ui/lazy-dialog.tsx";
import { toastDone } from "#components/ui/toast.tsx";
import { errorWords } from "#lib/api/fetcher.ts";
import { renderWaitingOptions, type WaitingRendered } from "#lib/endpoints/client.ts";
import type { EndpointDetail } from "#lib/endpoints/schema.ts";
import { formatNoun } from "#lib/format.ts";
import { waitingWords } from "./backlog-words.ts";

/** What waits for a postback was rendered when it was made: an edit of the template does not reach it by itself. */
export function RenderWaiting({ endpoint }: { endpoint: EndpointDetail }) {
  const place = usePlace();
  const [asking, setAsking] = useState(false);
  const render = useMutation(renderWaitingOptions);
  const refusal = useRefusal("endpoint.render_waiting");
  const words = waitingWords(endpoint.backlog);
  const run = () =>
    render.mutate(endpoint.id, {
      onSuccess: (done) => {
        setAsking(false);
        toastDone(doneWords(done), { href: place(`/endpoints/${endpoint.id}`), label: endpoint.name });
      },
    });
  if (words === null) return null;
  return (
    <div className="mt-4 flex flex-col items-start gap-2">
      <p className="text-ink-2">
        What waits keeps the request that it was made with, also after the template was edited.
      </p>
      <Button disabledReason={refusal} onClick={() => setAsking(true)}>
        <WandSparkles aria-hidden />
        Render again what waits
      </Button>
      <ConfirmDialog
        open={asking}
        onOpenChange={setAsking}
        title="Render again what waits?"
        confirmLabel="Render again"
        onConfirm={run}
        busy={render.isPending}
        error={render.error ? errorWords(render.error, { withRequest: true }) : null}
      >
        <p>{words}, by the template as it is saved now. Nothing is sent earlier than it would have been.</p>
        <p>What the template can do nothing with keeps the request it has.</p>
      </ConfirmDialog>
    </div>
  );
}

function doneWords({ rendered, kept, isComplete }: WaitingRendered): string {
  const words = [
    `${formatNoun(rendered, "delivery", "deliveries")} rendered again`,
    kept > 0 ? `${formatNoun(kept, "delivery", "deliveries")} kept as they were` : "",
    isComplete ? "" : "more may wait: press again",
  ];
  return `${words.filter(Boolean).join("; ")}.`;
}
