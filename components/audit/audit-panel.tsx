"use client";

import { useQuery } from "@tanstack/react-query";
import Link from "next/link";
import { useId } from "react";
import { ListView } from "#components/data-table/list-view.tsx";
import { useLiveInterval } from "#components/layout/preferences.ts";
import { withQuery } from "#lib/api/fetcher.ts";
import type { AuditObjectKind } from "#lib/audit/actions.ts";
import { auditListOptions } from "#lib/audit/client.ts";
import { objectAuditColumns } from "./columns.tsx";
import { latestEntries } from "./list-params.ts";

/** The latest entries about one object, for its own page. */
export function AuditPanel({ kind, id }: { kind: AuditObjectKind; id: string }) {
  const headingId = useId();
  const query = useQuery({
    ...auditListOptions(latestEntries(kind, id)),
    refetchInterval: useLiveInterval(),
  });
  return (
    <section aria-labelledby={headingId} className="mt-6">
      <div className="mb-2 flex items-baseline justify-between">
        <h2 id={headingId} className="font-semibold text-sm">
          Who did what
        </h2>
        <Link
          href={withQuery("/audit", { object_kind: kind, object_id: id })}
          className="text-ink-2 underline underline-offset-2"
        >
          All in the audit log
        </Link>
      </div>
      <ListView
        caption="What was done to it, latest first"
        noun="entries of the audit log"
        query={query}
        columns={objectAuditColumns}
        rowKey={(entry) => entry.id}
        cursor={null}
        rowKeys={false}
        empty={<p className="text-ink-2">Nobody has changed anything yet.</p>}
      />
    </section>
  );
}
