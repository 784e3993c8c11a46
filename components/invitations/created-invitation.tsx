"use client";

import { useEffect, useRef } from "react";
import { Button } from "#components/ui/button.tsx";
import { LinkBox } from "#components/ui/link-box.tsx";
import type { InvitationCreated } from "#lib/invitations/schema.ts";

export function CreatedInvitation({
  invitation,
  onDone,
}: {
  invitation: InvitationCreated;
  onDone: () => void;
}) {
  const box = useRef<HTMLDivElement>(null);
  useEffect(() => box.current?.focus(), []);
  return (
    <div ref={box} tabIndex={-1} className="flex flex-col gap-4 focus:outline-none">
      <p role="status" className="text-ink-2">
        {emailedWords(invitation)} Only its hash is kept, so it can never be shown again. It works once, for 7
        days; an earlier one for this address has ended.
      </p>
      <LinkBox url={invitation.url} what="invitation link" />
      <div className="flex justify-end">
        <Button tone="primary" onClick={onDone}>
          {invitation.emailed ? "Done" : "I have copied it"}
        </Button>
      </div>
    </div>
  );
}

function emailedWords({ email, emailed }: InvitationCreated): string {
  if (emailed) return `The link is on its way to ${email}; here it is to be copied, too.`;
  if (emailed === false) return "The mail server did not take the link: copy it now and send it to them.";
  return "Copy the link now and send it to them.";
}
