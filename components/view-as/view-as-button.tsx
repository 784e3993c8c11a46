"use client";

import { useMutation } from "@tanstack/react-query";
import { useRefusal } from "#components/layout/reader.tsx";
import { Button } from "#components/ui/button.tsx";
import { toastFailed } from "#components/ui/toast.tsx";
import { viewAsOptions } from "#lib/view-as/client.ts";

/** Opens the portal as the affiliate, read-only, in place of the console. */
export function ViewAsButton({ affiliate }: { affiliate: { key: string; name: string } }) {
  const refusal = useRefusal("affiliate.view_as");
  const viewAs = useMutation(viewAsOptions);
  const begin = () =>
    viewAs.mutate(
      { affiliate: affiliate.key },
      {
        // A new document: nothing that was read as oneself stays in this one.
        onSuccess: () => window.location.assign("/portal"),
        onError: (error) => toastFailed(`You do not view as ${affiliate.name}.`, error),
      },
    );
  return (
    <Button
      tone="quiet"
      aria-label={`View as ${affiliate.name}`}
      className="-my-1 h-7 px-2"
      disabledReason={refusal}
      busy={viewAs.isPending || viewAs.isSuccess}
      onClick={begin}
    >
      View as
    </Button>
  );
}
