"use client";

import Link from "next/link";
import { toast } from "sonner";
import { errorWords } from "#lib/api/fetcher.ts";

/** Tells what was done, with a link to the record. */
export function toastDone(message: string, link: { href: string; label: string }): void {
  toast.success(
    <span>
      {message}{" "}
      <Link href={link.href} className="underline underline-offset-2">
        {link.label}
      </Link>
    </span>,
  );
}

/** Tells what was refused or failed, and why. */
export function toastFailed(message: string, error: Error): void {
  toast.error(message, { description: errorWords(error, { withRequest: true }), duration: 10_000 });
}
