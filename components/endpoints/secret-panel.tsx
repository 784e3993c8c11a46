"use client";

import { useQuery } from "@tanstack/react-query";
import { EyeOff } from "lucide-react";
import Link from "next/link";
import { useState } from "react";
import { useClockText } from "#components/layout/clock.tsx";
import { useLiveInterval, useTimeZone } from "#components/layout/preferences.ts";
import { useIsAffiliate } from "#components/layout/reader.tsx";
import { RelativeTime } from "#components/layout/time.tsx";
import { Button } from "#components/ui/button.tsx";
import { Panel } from "#components/ui/panel.tsx";
import { errorWords } from "#lib/api/fetcher.ts";
import { secretListOptions } from "#lib/endpoint-secrets/client.ts";
import type { EndpointSecret } from "#lib/endpoint-secrets/schema.ts";
import type { EndpointDetail } from "#lib/endpoints/schema.ts";
import { formatUpcoming } from "#lib/format.ts";
import { RevealSecret } from "./reveal-secret.tsx";
import { RevokeSecret } from "./revoke-secret.tsx";
import { RotateSecret } from "./rotate-secret.tsx";
import { SecretBox } from "./secret-box.tsx";

/** The secrets that sign now. Their values come with a rotation, or for a reason. */
export function SecretPanel({ endpoint }: { endpoint: EndpointDetail }) {
  const endpointId = endpoint.id;
  const isOwner = useIsAffiliate();
  const [shown, setShown] = useState<{ secret: string; isNew: boolean } | null>(null);
  return (
    <Panel title="Signing secrets">
      <div className="flex flex-col gap-3">
        <p className="text-ink-2">
          {purposeOf(endpoint, isOwner)}{" "}
          {isOwner ? (
            <Link href="/portal/guide#verify" className="underline underline-offset-2">
              How to verify
            </Link>
          ) : null}
        </p>
        <SecretList endpointId={endpointId} />
        {shown ? (
          <div role="status" className="flex flex-col gap-2">
            <p className="text-ink-2">
              {shown.isNew
                ? `The new secret, shown this once; revealing it later needs ${isOwner ? "your password" : "a reason"}.`
                : "The current secret:"}
            </p>
            <SecretBox secret={shown.secret} />
          </div>
        ) : null}
        <div className="flex flex-wrap gap-2">
          {shown ? (
            <Button onClick={() => setShown(null)}>
              <EyeOff aria-hidden />
              Hide
            </Button>
          ) : null}
          <RevealSecret endpointId={endpointId} onSecret={(secret) => setShown({ secret, isNew: false })} />
          <RotateSecret
            endpointId={endpointId}
            signsUrl={endpoint.postback?.sign ?? false}
            onSecret={(secret) => setShown({ secret, isNew: true })}
          />
        </div>
      </div>
    </Panel>
  );
}

function purposeOf({ postback }: EndpointDetail, isOwner: boolean): string {
  if (postback === null)
    return `Every request is signed with each of them (Standard Webhooks), so that ${isOwner ? "your server can verify us" : "the receiver can verify us"}.`;
  return postback.sign
    ? "The newest one signs every URL: sig= at its end is the HMAC-SHA256 of all before it, in hex."
    : "They sign nothing now: this postback does not sign its URL.";
}

function SecretList({ endpointId }: { endpointId: string }) {
  const query = useQuery({ ...secretListOptions(endpointId), refetchInterval: useLiveInterval() });
  if (query.error) {
    return (
      <p role="alert" className="text-bad">
        {errorWords(query.error, { withRequest: true })}{" "}
        <button type="button" className="underline" onClick={() => void query.refetch()}>
          Try again
        </button>
      </p>
    );
  }
  return (
    <ul aria-label="Valid secrets" className="flex flex-col border-line border-t">
      {(query.data?.data ?? []).map((secret) => (
        <li
          key={secret.id}
          className="flex min-h-10 flex-wrap items-center gap-x-3 border-line border-b py-1"
        >
          {secret.expires_at === null ? (
            <span className="font-medium">Current secret</span>
          ) : (
            <OldSecret endpointId={endpointId} secret={secret} expiresAt={secret.expires_at} />
          )}
          <span className="order-last ml-auto text-ink-3 text-xs">
            made <RelativeTime iso={secret.created_at} />
          </span>
        </li>
      ))}
    </ul>
  );
}

type OldSecretProps = { endpointId: string; secret: EndpointSecret; expiresAt: string };

function OldSecret({ endpointId, secret, expiresAt }: OldSecretProps) {
  const timeZone = useTimeZone();
  const until = useClockText((nowMs) => formatUpcoming(expiresAt, nowMs, timeZone));
  return (
    <>
      <span>
        Old secret valid until {until} <RelativeTime iso={expiresAt} className="text-ink-3" />
      </span>
      <RevokeSecret endpointId={endpointId} secretId={secret.id} until={until} />
    </>
  );
}
