"use client";

import { lazy, useState } from "react";
import { Button } from "#components/ui/button.tsx";
import { Dialog } from "#components/ui/lazy-dialog.tsx";
import type { User } from "#lib/users/schema.ts";

const UserPanel = lazy(async () => ({ default: (await import("./user-panel.tsx")).UserPanel }));

/** Role and access of one user. */
export function ManageUser({ user }: { user: User }) {
  const [open, setOpen] = useState(false);
  return (
    <>
      <Button
        tone="quiet"
        aria-label={`Manage ${user.name}`}
        className="-my-1 h-7 px-2"
        onClick={() => setOpen(true)}
      >
        Manage
      </Button>
      <Dialog open={open} onOpenChange={setOpen} title={user.name} description={user.email}>
        <UserPanel user={user} onDone={() => setOpen(false)} />
      </Dialog>
    </>
  );
}
