"use client";

import { useMutation } from "@tanstack/react-query";
import { useEffect, useRef } from "react";
import { Button } from "#components/ui/button.tsx";
import { FormProblem } from "#components/ui/field.tsx";
import { LinkBox } from "#components/ui/link-box.tsx";
import { errorWords } from "#lib/api/fetcher.ts";
import { makePasswordLinkOptions } from "#lib/password-links/client.ts";
import type { User } from "#lib/users/schema.ts";

/** Makes a link to a new password, and shows it this once. */
export function PasswordLink({ user }: { user: User }) {
  const make = useMutation(makePasswordLinkOptions);
  const box = useRef<HTMLDivElement>(null);
  // Its button is gone, and it may stand below what the dialog shows.
  useEffect(() => {
    if (make.data) box.current?.focus();
  }, [make.data]);
  return (
    <div className="flex flex-col items-start gap-2 border-line border-t pt-4">
      {make.data ? (
        <div ref={box} tabIndex={-1} className="flex w-full flex-col gap-2 focus:outline-none">
          <p role="status" className="text-ink-2">
            Copy the link now and send it to {user.name}: it can never be shown again. It works once, for 24
            hours; every earlier one has ended.
          </p>
          <LinkBox url={make.data.url} what="password link" />
        </div>
      ) : (
        <>
          <Button busy={make.isPending} onClick={() => make.mutate(user.id)}>
            Make a password link
          </Button>
          <span className="text-ink-2 text-xs">
            For somebody who forgot their password: whoever opens the link sets a new one, which signs them
            out everywhere. A second factor stays.
          </span>
        </>
      )}
      <FormProblem message={make.error ? errorWords(make.error, { withRequest: true }) : null} />
    </div>
  );
}
