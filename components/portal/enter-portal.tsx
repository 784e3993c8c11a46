"use client";

import { useMutation } from "@tanstack/react-query";
import { useEffect, useEffectEvent, useRef } from "react";
import { Button, ButtonLink } from "#components/ui/button.tsx";
import { ApiError, errorWords } from "#lib/api/fetcher.ts";
import { enterPortalOptions } from "#lib/portal-links/client.ts";

/**
 * Exchanges a portal link once somebody looks at the page, and not while it is only fetched or rendered ahead. Who is
 * signed in as somebody is asked first.
 */
export function EnterPortal({ token, signedInAs }: { token: string; signedInAs: string | null }) {
  const enter = useMutation({
    ...enterPortalOptions,
    // A new document, in whose history the link is not.
    onSuccess: () => window.location.replace("/portal"),
  });
  const send = () => {
    if (enter.isIdle || enter.isError) enter.mutate({ token });
  };
  const wasSent = useRef(false);
  const sendOnce = useEffectEvent(() => {
    if (token === "" || signedInAs !== null || wasSent.current) return;
    wasSent.current = true;
    send();
  });
  useEffect(() => whenSeen(() => sendOnce()), []);
  const isOver = token === "" || (enter.error instanceof ApiError && enter.error.code === "link_not_valid");
  if (isOver) {
    return (
      <>
        <p role="alert" className="text-ink-2">
          This link is not valid any more: it works once, and for a short time. Open the portal again from
          where you came.
        </p>
        <ButtonLink href="/sign-in">Sign in with an account</ButtonLink>
      </>
    );
  }
  return (
    <>
      {signedInAs === null ? (
        <p role="status" className="text-ink-2">
          {enter.isError ? errorWords(enter.error, { withRequest: true }) : "Opening your portal…"}
        </p>
      ) : (
        <p className="text-ink-2">
          You are signed in as {signedInAs}. Opening the portal by this link ends that here.
        </p>
      )}
      <Button tone="primary" busy={enter.isPending || enter.isSuccess} onClick={send}>
        Open the portal
      </Button>
    </>
  );
}

/** Runs it once the page is on somebody's screen. */
function whenSeen(run: () => void): () => void {
  const look = () => {
    const isAhead = (document as { prerendering?: boolean }).prerendering ?? false;
    if (isAhead || document.visibilityState !== "visible") return;
    stop();
    run();
  };
  const stop = () => {
    document.removeEventListener("visibilitychange", look);
    document.removeEventListener("prerenderingchange", look);
  };
  document.addEventListener("visibilitychange", look);
  document.addEventListener("prerenderingchange", look);
  look();
  return stop;
}
