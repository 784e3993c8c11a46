import { mutationOptions } from "@tanstack/react-query";
import { callApi } from "#lib/api/fetcher.ts";
import type { ForgottenPassword, NewPassword, PasswordLinkMade } from "./schema.ts";

const path = "/api/console";

/** Answers the link, this once, so the answer is dropped as soon as the page lets go of it. */
export const makePasswordLinkOptions = mutationOptions({
  mutationFn: (userId: string) =>
    callApi<PasswordLinkMade>(`${path}/users/${encodeURIComponent(userId)}/password-link`, {
      method: "POST",
    }),
  gcTime: 0,
});

export const askForPasswordLinkOptions = mutationOptions({
  mutationFn: (given: ForgottenPassword) =>
    callApi<void>(`${path}/forgotten-password`, { method: "POST", body: given }),
});

export const setNewPasswordOptions = mutationOptions({
  mutationFn: (given: NewPassword) => callApi<void>(`${path}/new-password`, { method: "POST", body: given }),
});
