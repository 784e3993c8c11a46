import { mutationOptions, queryOptions } from "@tanstack/react-query";
import type { z } from "zod";
import { callApi } from "#lib/api/fetcher.ts";
import type {
  Account,
  AccountEdit,
  AccountSession,
  PasswordChange,
  PasswordProof,
  SecondFactor,
  setupRequest,
  signInRequest,
  singleSignOnStart,
  TwoFactorSecret,
} from "./schema.ts";

const path = "/api/console/account";

export const signInOptions = mutationOptions({
  mutationFn: (given: z.input<typeof signInRequest>) =>
    callApi<{ needs_code: true } | undefined>("/api/console/sign-in", { method: "POST", body: given }),
});

/** The second step of signing in, where the first answers that it needs a code. */
export const signInWithCodeOptions = mutationOptions({
  mutationFn: (given: SecondFactor) =>
    callApi<void>("/api/console/sign-in/code", { method: "POST", body: given }),
});

/** Answers where the identity provider asks who it is. */
export const singleSignOnOptions = mutationOptions({
  mutationFn: (given: z.input<typeof singleSignOnStart>) =>
    callApi<{ url: string }>("/api/console/sign-in/oidc", { method: "POST", body: given }),
});

export const setUpOptions = mutationOptions({
  mutationFn: (given: z.input<typeof setupRequest>) =>
    callApi<void>("/api/console/setup", { method: "POST", body: given }),
});

export const signOutOptions = mutationOptions({
  mutationFn: () => callApi<void>("/api/console/sign-out", { method: "POST" }),
});

/** Where the reader is signed in. */
export function sessionListOptions() {
  return queryOptions({
    queryKey: ["account", "sessions"] as const,
    queryFn: ({ signal }) => callApi<{ data: AccountSession[] }>(`${path}/sessions`, { signal }),
  });
}

export const signOutEverywhereOptions = mutationOptions({
  mutationFn: () => callApi<void>(`${path}/sessions`, { method: "DELETE" }),
});

export const editAccountOptions = mutationOptions({
  mutationFn: (edit: AccountEdit) => callApi<Account>(path, { method: "PATCH", body: edit }),
});

export const changePasswordOptions = mutationOptions({
  mutationFn: (given: PasswordChange) => callApi<void>(`${path}/password`, { method: "POST", body: given }),
  onSuccess: (_data, _given, _result, { client }) => client.invalidateQueries({ queryKey: ["account"] }),
});

const twoFactorPath = `${path}/two-factor`;

/** Makes a secret for an app; nothing changes until a code of it is given. */
export const beginTwoFactorOptions = mutationOptions({
  mutationFn: (given: PasswordProof) =>
    callApi<TwoFactorSecret>(twoFactorPath, { method: "POST", body: given }),
});

export const enableTwoFactorOptions = mutationOptions({
  mutationFn: (given: SecondFactor) =>
    callApi<void>(`${twoFactorPath}/enable`, { method: "POST", body: given }),
});

export const disableTwoFactorOptions = mutationOptions({
  mutationFn: (given: PasswordProof) =>
    callApi<void>(`${twoFactorPath}/disable`, { method: "POST", body: given }),
});
