"use client";

import { Undo2 } from "lucide-react";
import { Button } from "#components/ui/button.tsx";
import type { LetterFilter } from "#lib/delivery/diagnosis/types.ts";

type RequeueButtonProps = {
  /** Which dead letters: a finding's or a group's filter, or rows that were selected. */
  filter: LetterFilter | { ids: string[] };
  label: string;
};

/** The one place of this page that puts many back: whoever opens the dialog gets `filter` from here. */
export function RequeueButton({ label }: RequeueButtonProps) {
  return (
    <Button disabledReason="Many at once cannot be put back yet; select rows below to resend them.">
      <Undo2 aria-hidden />
      {label}
    </Button>
  );
}
