"use client";

import { Pencil } from "lucide-react";
import { lazy, useState } from "react";
import { Button } from "#components/ui/button.tsx";
import { Dialog } from "#components/ui/lazy-dialog.tsx";
import type { Affiliate } from "#lib/affiliates/schema.ts";

const RenameForm = lazy(async () => ({ default: (await import("./rename-form.tsx")).RenameForm }));

export function RenameAffiliate({ affiliate }: { affiliate: Affiliate }) {
  const [open, setOpen] = useState(false);
  return (
    <>
      <Button onClick={() => setOpen(true)}>
        <Pencil aria-hidden />
        Rename
      </Button>
      <Dialog open={open} onOpenChange={setOpen} title="Rename the affiliate">
        <RenameForm affiliate={affiliate} onDone={() => setOpen(false)} />
      </Dialog>
    </>
  );
}
