import { HydrationBoundary } from "@tanstack/react-query";
import type { Metadata } from "next";
import { notFound } from "next/navigation";
import { AccountView } from "#components/account/account-view.tsx";
import { PageHeader } from "#components/layout/page-header.tsx";
import { sessionListOptions } from "#lib/accounts/client.ts";
import { listSessions } from "#lib/accounts/service.ts";
import { prefetch } from "#lib/api/prefetch.ts";
import { signedInActor } from "#lib/auth/page-session.ts";

export const metadata: Metadata = { title: "Your account" };

export default async function Page() {
  const actor = await signedInActor();
  if (actor.viaLink) notFound();
  const state = await prefetch({ options: sessionListOptions(), read: () => listSessions(actor) });
  return (
    <HydrationBoundary state={state}>
      <PageHeader title="Your account" />
      <AccountView twoFactor={actor.twoFactor} />
    </HydrationBoundary>
  );
}
