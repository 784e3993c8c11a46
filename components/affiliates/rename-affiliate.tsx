"use client";

import { Pencil } from "lucide-react";
import { lazy, useState } from "react";
import { useRefusal } from "#components/layout/reader.tsx";
import { Button } from "#components/ui/button.tsx";
import { Dialog } from "#components/ui/lazy-dialog.tsx";
import type { Affiliate } from "#lib/affiliates/schema.ts";

const RenameForm = lazy(async () => ({ default: (await import("./rename-form.tsx")).RenameForm }));

export function RenameAffiliate({ affiliate }: { affiliate: Affiliate }) {
  const [open, setOpen] = useState(false);
  const refusal = useRefusal("affiliate.edit", { affiliateId: affiliate.id });
  return (
    <>
      <Button onClick={() => setOpen(true)} disabledReason={refusal}>
        <Pencil aria-hidden />
        Rename
      </Button>
      <Dialog open={open} onOpenChange={setOpen} title="Rename the affiliate">
        <RenameForm affiliate={affiliate} onDone={() => setOpen(false)} />
      </Dialog>
    </>
  );
}
