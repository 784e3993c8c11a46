import { HydrationBoundary } from "@tanstack/react-query";
import type { Metadata } from "next";
import type { SearchParams } from "nuqs/server";
import { InviteUser } from "#components/invitations/invite-user.tsx";
import { PageHeader } from "#components/layout/page-header.tsx";
import { ButtonLink } from "#components/ui/button.tsx";
import { loadUserParams, userFilters } from "#components/users/list-params.ts";
import { UserList } from "#components/users/user-list.tsx";
import { prefetch } from "#lib/api/prefetch.ts";
import { staffActor } from "#lib/auth/page-session.ts";
import { userListOptions } from "#lib/users/client.ts";
import { userListQuery } from "#lib/users/schema.ts";
import { listUsers } from "#lib/users/service.ts";

export const metadata: Metadata = { title: "Users" };

export default async function Page({ searchParams }: { searchParams: Promise<SearchParams> }) {
  const actor = await staffActor();
  const filters = userFilters(await loadUserParams(searchParams));
  const state = await prefetch({
    options: userListOptions(filters),
    read: () => listUsers(actor, userListQuery.parse(filters)),
  });
  return (
    <HydrationBoundary state={state}>
      <PageHeader
        title="Users"
        actions={
          <>
            <ButtonLink href="/settings/invitations">Invitations</ButtonLink>
            <InviteUser />
          </>
        }
      />
      <UserList />
    </HydrationBoundary>
  );
}
