"use client";

import { useQuery } from "@tanstack/react-query";
import { ChevronDown, ChevronUp } from "lucide-react";
import Link from "next/link";
import { useRouter } from "next/navigation";
import type { ReactNode } from "react";
import { usePlace } from "#components/layout/reader.tsx";
import { shortcuts, useShortcut } from "#components/layout/shortcuts.tsx";
import { IconButton } from "#components/ui/icon-button.tsx";
import { withQuery } from "#lib/api/fetcher.ts";
import { type DeliveryNarrowing, neighboursOptions } from "#lib/deliveries/client.ts";

/** To what stands beside this delivery in the list that it was opened from. */
export function Neighbours({ id, filters }: { id: string; filters: DeliveryNarrowing }) {
  const router = useRouter();
  const { data, error } = useQuery(neighboursOptions(id, filters));
  const unknown = error ? "Its list could not be read." : "Its list is being read.";
  const place = usePlace();
  const pathOf = (other: string | null | undefined) =>
    other ? withQuery(place(`/deliveries/${other}`), filters) : null;
  const previous = pathOf(data?.previous);
  const next = pathOf(data?.next);
  useShortcut("previous_row", previous === null ? null : () => router.push(previous));
  useShortcut("next_row", next === null ? null : () => router.push(next));
  return (
    <nav aria-label="Beside it in the list" className="flex">
      <Step
        href={previous}
        label="Previous delivery"
        keys={shortcuts.previous_row.keys}
        missing={data ? "Nothing newer is in its list." : unknown}
      >
        <ChevronUp aria-hidden />
      </Step>
      <Step
        href={next}
        label="Next delivery"
        keys={shortcuts.next_row.keys}
        missing={data ? "Nothing older is in its list." : unknown}
      >
        <ChevronDown aria-hidden />
      </Step>
    </nav>
  );
}

type StepProps = {
  href: string | null;
  label: string;
  keys: string;
  /** Why it leads nowhere, where it does not. */
  missing: string;
  children: ReactNode;
};

function Step({ href, label, keys, missing, children }: StepProps) {
  if (href === null) {
    return (
      <IconButton label={label} disabledReason={missing}>
        {children}
      </IconButton>
    );
  }
  return (
    <Link
      href={href}
      prefetch={false}
      aria-label={label}
      title={`${label} (${keys})`}
      className="inline-flex size-8 items-center justify-center rounded-md text-ink-2 hover:bg-hover hover:text-ink [&_svg]:size-4"
    >
      {children}
    </Link>
  );
}
