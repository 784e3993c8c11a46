"use client";

import { useQuery } from "@tanstack/react-query";
import { SquareTerminal } from "lucide-react";
import { Button } from "#components/ui/button.tsx";
import { copyText } from "#components/ui/copy-button.tsx";
import { toastFailed } from "#components/ui/toast.tsx";
import { curlCommand } from "#lib/deliveries/curl.ts";
import type { DeliveryDetail } from "#lib/deliveries/schema.ts";
import { endpointOptions } from "#lib/endpoints/client.ts";

type CopyAsCurlProps = { delivery: DeliveryDetail; request: NonNullable<DeliveryDetail["request"]> };

/** The request as a command, as far as it may be shown: what is missing is named when it is copied. */
export function CopyAsCurl({ delivery, request }: CopyAsCurlProps) {
  const { endpoint, event_id, attempt_number } = delivery;
  const isDeleted = endpoint.status === "deleted";
  const settings = useQuery({ ...endpointOptions(endpoint.id), enabled: !isDeleted });
  const copy = async () => {
    const { data, error } =
      isDeleted || settings.data !== undefined ? settings : await settings.refetch({ cancelRefetch: false });
    // Without them nobody could say which headers the command lacks.
    if (error && data === undefined)
      return toastFailed("It was not copied: the endpoint's settings could not be read", error);
    const { command, placeholders } = curlCommand({
      request,
      event_id,
      attempt_number,
      kind: endpoint.kind,
      headerNames: data?.headers.map(({ name }) => name) ?? [],
      signsUrl: data?.postback?.sign ?? false,
    });
    const missing = placeholders.length > 0 ? ` To fill in: ${placeholders.join(", ")}.` : "";
    void copyText(command, `Copied as curl.${missing}`);
  };
  return (
    <Button tone="quiet" busy={settings.isFetching && !settings.data} onClick={() => void copy()}>
      <SquareTerminal aria-hidden />
      Copy as curl
    </Button>
  );
}
