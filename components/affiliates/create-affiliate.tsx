"use client";

import { Plus } from "lucide-react";
import { lazy, useState } from "react";
import { useRefusal } from "#components/layout/reader.tsx";
import { Button } from "#components/ui/button.tsx";
import { Dialog } from "#components/ui/lazy-dialog.tsx";

const AffiliateForm = lazy(async () => ({ default: (await import("./affiliate-form.tsx")).AffiliateForm }));

export function CreateAffiliate({ tone = "primary" }: { tone?: "primary" | "plain" }) {
  const [open, setOpen] = useState(false);
  const refusal = useRefusal("affiliate.create");
  return (
    <>
      <Button tone={tone} disabledReason={refusal} onClick={() => setOpen(true)}>
        <Plus aria-hidden />
        Add an affiliate
      </Button>
      <Dialog open={open} onOpenChange={setOpen} title="Add an affiliate">
        <AffiliateForm onDone={() => setOpen(false)} />
      </Dialog>
    </>
  );
}
