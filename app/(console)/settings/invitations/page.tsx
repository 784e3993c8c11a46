import { HydrationBoundary } from "@tanstack/react-query";
import type { Metadata } from "next";
import type { SearchParams } from "nuqs/server";
import { InvitationList } from "#components/invitations/invitation-list.tsx";
import { InviteUser } from "#components/invitations/invite-user.tsx";
import { invitationFilters, loadInvitationParams } from "#components/invitations/list-params.ts";
import { PageHeader } from "#components/layout/page-header.tsx";
import { ButtonLink } from "#components/ui/button.tsx";
import { prefetch } from "#lib/api/prefetch.ts";
import { staffActor } from "#lib/auth/page-session.ts";
import { invitationListOptions } from "#lib/invitations/client.ts";
import { invitationListQuery } from "#lib/invitations/schema.ts";
import { listInvitations } from "#lib/invitations/service.ts";

export const metadata: Metadata = { title: "Invitations" };

export default async function Page({ searchParams }: { searchParams: Promise<SearchParams> }) {
  const actor = await staffActor();
  const filters = invitationFilters(await loadInvitationParams(searchParams));
  const state = await prefetch({
    options: invitationListOptions(filters),
    read: () => listInvitations(actor, invitationListQuery.parse(filters)),
  });
  return (
    <HydrationBoundary state={state}>
      <PageHeader
        title="Invitations"
        actions={
          <>
            <ButtonLink href="/settings/users">Users</ButtonLink>
            <InviteUser />
          </>
        }
      />
      <InvitationList />
    </HydrationBoundary>
  );
}
