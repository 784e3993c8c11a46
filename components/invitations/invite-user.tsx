"use client";

import { Plus } from "lucide-react";
import { lazy, useState } from "react";
import { useRefusal } from "#components/layout/reader.tsx";
import { Button } from "#components/ui/button.tsx";
import { Dialog } from "#components/ui/lazy-dialog.tsx";
import type { InvitationCreated } from "#lib/invitations/schema.ts";
import { CreatedInvitation } from "./created-invitation.tsx";

const InviteForm = lazy(async () => ({ default: (await import("./invite-form.tsx")).InviteForm }));

/** Asks whom, then shows the link this once. */
export function InviteUser({ tone = "primary" }: { tone?: "primary" | "plain" }) {
  const [open, setOpen] = useState(false);
  const [made, setMade] = useState<InvitationCreated | null>(null);
  const refusal = useRefusal("user.manage");
  return (
    <>
      <Button
        tone={tone}
        disabledReason={refusal}
        onClick={() => {
          setMade(null);
          setOpen(true);
        }}
      >
        <Plus aria-hidden />
        Invite a user
      </Button>
      <Dialog open={open} onOpenChange={setOpen} title={made ? `${made.email} is invited` : "Invite a user"}>
        {made ? (
          <CreatedInvitation invitation={made} onDone={() => setOpen(false)} />
        ) : (
          <InviteForm onMade={setMade} />
        )}
      </Dialog>
    </>
  );
}
