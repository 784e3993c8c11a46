"use client";

import { History } from "lucide-react";
import { useState } from "react";
import { TimeFilter } from "#components/filters/time-filter.tsx";
import { useRefusal } from "#components/layout/reader.tsx";
import { Button } from "#components/ui/button.tsx";
import { requeueSources } from "#lib/vocabulary.ts";
import { RequeueDialog } from "./requeue-dialog.tsx";

const dayMs = 86_400_000;

/** Everything of one endpoint that failed or was held since a time, put back together. */
export function RecoverAction({ endpoint }: { endpoint: { id: string; name: string } }) {
  const [open, setOpen] = useState(false);
  const [since, setSince] = useState("");
  const refusal = useRefusal("delivery.requeue");
  const start = () => {
    setSince(new Date(Date.now() - dayMs).toISOString());
    setOpen(true);
  };
  return (
    <>
      <Button onClick={start} disabledReason={refusal}>
        <History aria-hidden />
        Recover
      </Button>
      <RequeueDialog
        open={open}
        onOpenChange={setOpen}
        title={`Recover ${endpoint.name}?`}
        description="Everything that failed or is held since a time is put back with a fresh set of attempts: dead letters, what awaits a retry, and what waits for the endpoint to be resumed."
        fields={<TimeFilter label="Since" iso={since} onChange={(iso) => iso && setSince(iso)} />}
        filter={{ endpoint: endpoint.id, states: [...requeueSources], from: since }}
      />
    </>
  );
}
