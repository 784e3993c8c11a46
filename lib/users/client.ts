import { mutationOptions, queryOptions } from "@tanstack/react-query";
import type { z } from "zod";
import { callApi } from "#lib/api/fetcher.ts";
import type { Page } from "#lib/api/paging.ts";
import type { RoleOf, User, userListQuery } from "./schema.ts";

export type UserFilters = z.input<typeof userListQuery>;

const path = "/api/console/users";
const pathOf = (id: string) => `${path}/${encodeURIComponent(id)}`;

/** One page of users, newest first. */
export function userListOptions(filters: UserFilters) {
  return queryOptions({
    queryKey: ["users", "list", filters] as const,
    queryFn: ({ signal }) => callApi<Page<User>>(path, { query: { ...filters }, signal }),
  });
}

export const changeRoleOptions = mutationOptions({
  mutationFn: ({ id, ...given }: RoleOf & { id: string }) =>
    callApi<User>(pathOf(id), { method: "PATCH", body: given }),
  onSettled: (_data, _error, _given, _result, { client }) =>
    client.invalidateQueries({ queryKey: ["users"] }),
});

export type UserAction = "deactivate" | "reactivate" | "sign-out" | "reset-second-factor";

/** What takes nothing but the user. */
export const userActionOptions = mutationOptions({
  mutationFn: ({ id, action }: { id: string; action: UserAction }) =>
    callApi<User>(`${pathOf(id)}/${action}`, { method: "POST" }),
  onSettled: (_data, _error, _given, _result, { client }) =>
    client.invalidateQueries({ queryKey: ["users"] }),
});
