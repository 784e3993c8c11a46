import { CircleAlert } from "lucide-react";
import Link from "next/link";
import type { Affiliate } from "#lib/affiliates/schema.ts";
import { withQuery } from "#lib/api/fetcher.ts";
import { formatCount } from "#lib/format.ts";

/** How many of its endpoints fail, and the way to them. */
export function FailingEndpoints({ affiliate: { key, name, activity } }: { affiliate: Affiliate }) {
  if (!activity) return null;
  if (activity.failing_endpoints === 0) return <span className="text-ink-3">None</span>;
  return (
    <Link
      href={withQuery("/endpoints", { view: "failing", affiliate: key })}
      prefetch={false}
      className="inline-flex items-center gap-1 font-medium text-bad underline-offset-2 hover:underline"
    >
      <CircleAlert aria-hidden className="size-3.5" />
      {formatCount(activity.failing_endpoints)}
      <span className="sr-only"> failing at {name}</span>
    </Link>
  );
}
