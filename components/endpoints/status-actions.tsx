"use client";

import { useMutation } from "@tanstack/react-query";
import { Pause, Play } from "lucide-react";
import { useState } from "react";
import { usePlace, useRefusal } from "#components/layout/reader.tsx";
import { Button } from "#components/ui/button.tsx";
import { ConfirmDialog } from "#components/ui/lazy-dialog.tsx";
import { toastDone } from "#components/ui/toast.tsx";
import { errorWords } from "#lib/api/fetcher.ts";
import { pauseEndpointOptions, resumeEndpointOptions } from "#lib/endpoints/client.ts";
import type { EndpointDetail } from "#lib/endpoints/schema.ts";
import { waitingWords } from "./backlog-words.ts";

/** Pause, or resume what is paused or disabled; either says first what it does to what waits. */
export function StatusAction({ endpoint }: { endpoint: EndpointDetail }) {
  const place = usePlace();
  const [open, setOpen] = useState(false);
  const pause = useMutation(pauseEndpointOptions);
  const resume = useMutation(resumeEndpointOptions);
  const active = endpoint.status === "active";
  const refusal = useRefusal(active ? "endpoint.pause" : "endpoint.resume", {
    affiliateId: endpoint.affiliate.id,
    resumeBar: endpoint.resume_bar,
  });
  const change = active ? pause : resume;
  const waiting = waitingWords(endpoint.backlog);
  const confirm = () =>
    change.mutate(endpoint.id, {
      onSuccess: () => {
        setOpen(false);
        toastDone(active ? "Paused." : "Resumed.", {
          href: place(`/endpoints/${endpoint.id}`),
          label: endpoint.name,
        });
      },
    });
  const openDialog = () => {
    pause.reset();
    resume.reset();
    setOpen(true);
  };
  return (
    <>
      <Button disabledReason={refusal} onClick={openDialog}>
        {active ? <Pause aria-hidden /> : <Play aria-hidden />}
        {active ? "Pause" : "Resume"}
      </Button>
      <ConfirmDialog
        open={open}
        onOpenChange={setOpen}
        title={`${active ? "Pause" : "Resume"} ${endpoint.name}?`}
        confirmLabel={active ? "Pause" : "Resume"}
        onConfirm={confirm}
        busy={change.isPending}
        error={change.error ? errorWords(change.error, { withRequest: true }) : null}
      >
        {active ? (
          <>
            <p>Nothing more is sent to it until it is resumed. Its events are held, not dropped.</p>
            <p>{waiting ? `${waiting} will be held.` : "Nothing waits for it at the moment."}</p>
          </>
        ) : (
          <>
            <p>It is sent to again, starting with what has waited longest.</p>
            <p>{waiting ? `${waiting} will go out.` : "Nothing waits for it at the moment."}</p>
          </>
        )}
      </ConfirmDialog>
    </>
  );
}
