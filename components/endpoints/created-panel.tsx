"use client";

import { CircleCheck } from "lucide-react";
import { useEffect, useRef } from "react";
import { useIsAffiliate, usePlace } from "#components/layout/reader.tsx";
import { ButtonLink } from "#components/ui/button.tsx";
import type { EndpointCreated } from "#lib/endpoints/schema.ts";
import { SecretBox } from "./secret-box.tsx";
import { SendTestPanel } from "./send-test-panel.tsx";

/** After creating: the one time that the secret comes without being asked for, and the place for a first test. */
export function CreatedPanel({ endpoint }: { endpoint: EndpointCreated }) {
  const place = usePlace();
  const isOwner = useIsAffiliate();
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => heading.current?.focus(), []);
  return (
    <div className="flex max-w-6xl flex-col gap-4">
      <div className="flex max-w-2xl flex-col gap-4 rounded-lg border border-line p-5">
        <h2
          ref={heading}
          tabIndex={-1}
          className="flex items-center gap-2 font-semibold text-base focus:outline-none"
        >
          <CircleCheck aria-hidden className="size-5 text-ok" />
          {endpoint.name} was created
        </h2>
        <p className="text-ink-2">
          {endpoint.postback && !endpoint.postback.sign
            ? "This postback does not sign its URL, so nobody needs the signing secret until it does."
            : isOwner
              ? "With this signing secret your server can verify that a request is from us."
              : "Give this signing secret to whoever runs the endpoint, so that they can verify that a request is from you."}{" "}
          It is not shown again by itself; revealing it later needs{" "}
          {isOwner ? "your password, and is recorded." : "a reason, which is recorded."}
        </p>
        <SecretBox secret={endpoint.secret} />
        <div className="flex gap-2">
          <ButtonLink href={place(`/endpoints/${endpoint.id}`)} tone="primary">
            Open the endpoint
          </ButtonLink>
          <ButtonLink href={isOwner ? place("/endpoints") : "/endpoints?view=all"} tone="quiet">
            All endpoints
          </ButtonLink>
        </div>
      </div>
      <SendTestPanel endpoint={endpoint} />
    </div>
  );
}
