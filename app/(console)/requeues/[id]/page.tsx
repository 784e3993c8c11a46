import { HydrationBoundary } from "@tanstack/react-query";
import type { Metadata } from "next";
import { z } from "zod";
import { latestEntries } from "#components/audit/list-params.ts";
import { RequeueView } from "#components/requeues/requeue-view.tsx";
import { prefetch } from "#lib/api/prefetch.ts";
import { auditListOptions } from "#lib/audit/client.ts";
import { auditListQuery } from "#lib/audit/schema.ts";
import { listAuditEntries } from "#lib/audit/service.ts";
import { staffActor } from "#lib/auth/page-session.ts";
import { requeueOptions } from "#lib/requeues/client.ts";
import { getRequeue } from "#lib/requeues/service.ts";

type Props = { params: Promise<{ id: string }> };

export const metadata: Metadata = { title: "Requeue" };

export default async function Page({ params }: Props) {
  const actor = await staffActor();
  const id = decodeURIComponent((await params).id);
  const state = await prefetch(
    { options: requeueOptions(id), read: () => getRequeue(actor, z.uuid().parse(id)) },
    {
      options: auditListOptions(latestEntries("requeue", id)),
      read: () => listAuditEntries(actor, auditListQuery.parse(latestEntries("requeue", id))),
    },
  );
  return (
    <HydrationBoundary state={state}>
      <RequeueView id={id} />
    </HydrationBoundary>
  );
}
