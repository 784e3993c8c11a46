"use client";

import { useMutation } from "@tanstack/react-query";
import { Eye } from "lucide-react";
import { useEffect } from "react";
import { Expiry } from "#components/api-keys/expiry.tsx";
import { useReader } from "#components/layout/reader.tsx";
import { Button } from "#components/ui/button.tsx";
import { toastFailed } from "#components/ui/toast.tsx";
import { stopViewingOptions } from "#lib/view-as/client.ts";

/** A new document: nothing that was read as the affiliate stays in this one. */
const leave = () => window.location.assign("/affiliates");

/** Says, above the portal, as whom one of the staff looks at it, and ends that. */
export function ViewBar() {
  const { viewing } = useReader();
  return viewing ? <Bar {...viewing} /> : null;
}

function Bar({ name, endsAt }: { name: string; endsAt: string }) {
  const stop = useMutation(stopViewingOptions);
  useEffect(() => {
    const timer = setTimeout(leave, Math.max(0, Date.parse(endsAt) - Date.now()));
    return () => clearTimeout(timer);
  }, [endsAt]);
  return (
    <section
      aria-label="Viewing as an affiliate"
      className="sticky top-0 z-20 -mx-4 flex flex-wrap items-center gap-x-3 gap-y-2 border-warn border-b bg-warn-tint px-4 py-2 lg:-mx-6 lg:px-6"
    >
      <Eye aria-hidden className="size-4 shrink-0 text-warn" />
      <p className="min-w-0 flex-1">
        You are viewing as <strong className="font-medium">{name}</strong>, read-only and with values masked,
        until <Expiry iso={endsAt} />.
      </p>
      <Button
        busy={stop.isPending || stop.isSuccess}
        onClick={() =>
          stop.mutate(undefined, {
            onSuccess: leave,
            onError: (error) => toastFailed(`You are still viewing as ${name}.`, error),
          })
        }
      >
        Stop viewing
      </Button>
    </section>
  );
}
