"use client";

import { useMutation, useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { ErrorState } from "#components/data-table/states.tsx";
import { RelativeTime } from "#components/layout/time.tsx";
import { Button } from "#components/ui/button.tsx";
import { ConfirmDialog } from "#components/ui/lazy-dialog.tsx";
import { Panel } from "#components/ui/panel.tsx";
import { sessionListOptions, signOutEverywhereOptions } from "#lib/accounts/client.ts";
import type { AccountSession } from "#lib/accounts/schema.ts";
import { errorWords } from "#lib/api/fetcher.ts";

/** Where the reader is signed in, and the way out of all of it. */
export function SessionList() {
  const query = useQuery(sessionListOptions());
  return (
    <Panel title="Where you are signed in" aside={<SignOutEverywhere />}>
      {query.data ? (
        <ul className="flex flex-col gap-3">
          {query.data.data.map((session) => (
            <SessionItem key={session.id} session={session} />
          ))}
        </ul>
      ) : query.error ? (
        <ErrorState
          what="Your sessions"
          error={query.error}
          onRetry={() => void query.refetch()}
          busy={query.isFetching}
        />
      ) : (
        <p role="status" className="text-ink-2">
          Loading
        </p>
      )}
    </Panel>
  );
}

function SessionItem({ session }: { session: AccountSession }) {
  return (
    <li className="flex flex-col gap-0.5">
      <span className="break-words">
        {session.user_agent ?? "An unknown browser"}
        {session.current ? <strong className="font-medium"> (this one)</strong> : null}
      </span>
      <span className="text-ink-3 text-xs">
        {session.address ? `From ${session.address}, ` : ""}
        signed in <RelativeTime iso={session.created_at} />
      </span>
    </li>
  );
}

function SignOutEverywhere() {
  const [open, setOpen] = useState(false);
  const leave = useMutation({
    ...signOutEverywhereOptions,
    onSuccess: () => window.location.assign("/sign-in"),
  });
  return (
    <>
      <Button onClick={() => setOpen(true)}>Sign out everywhere</Button>
      <ConfirmDialog
        open={open}
        onOpenChange={setOpen}
        title="Sign out everywhere?"
        confirmLabel="Sign out everywhere"
        onConfirm={() => leave.mutate()}
        busy={leave.isPending}
        error={leave.error ? errorWords(leave.error, { withRequest: true }) : null}
      >
        <p>Every browser in which you are signed in is signed out at once, this one too.</p>
      </ConfirmDialog>
    </>
  );
}
