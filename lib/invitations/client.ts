import { mutationOptions, queryOptions } from "@tanstack/react-query";
import type { z } from "zod";
import { callApi } from "#lib/api/fetcher.ts";
import type { Page } from "#lib/api/paging.ts";
import type {
  Invitation,
  InvitationAcceptance,
  InvitationCreate,
  InvitationCreated,
  invitationListQuery,
} from "./schema.ts";

export type InvitationFilters = z.input<typeof invitationListQuery>;

const path = "/api/console/invitations";

/** One page of invitations, newest first. */
export function invitationListOptions(filters: InvitationFilters) {
  return queryOptions({
    queryKey: ["invitations", "list", filters] as const,
    queryFn: ({ signal }) => callApi<Page<Invitation>>(path, { query: { ...filters }, signal }),
  });
}

/** Answers the link, this once, so the answer is dropped as soon as the page lets go of it. */
export const inviteUserOptions = mutationOptions({
  mutationFn: (given: InvitationCreate) => callApi<InvitationCreated>(path, { method: "POST", body: given }),
  gcTime: 0,
  onSuccess: (_data, _given, _result, { client }) => client.invalidateQueries({ queryKey: ["invitations"] }),
});

export const revokeInvitationOptions = mutationOptions({
  mutationFn: (id: string) => callApi<void>(`${path}/${encodeURIComponent(id)}`, { method: "DELETE" }),
  onSettled: (_data, _error, _id, _result, { client }) =>
    client.invalidateQueries({ queryKey: ["invitations"] }),
});

export const acceptInvitationOptions = mutationOptions({
  mutationFn: (given: InvitationAcceptance) =>
    callApi<void>(`${path}/accept`, { method: "POST", body: given }),
});
