"use client";

import { useMutation } from "@tanstack/react-query";
import { CircleUser, LogOut } from "lucide-react";
import Link from "next/link";
import { IconButton } from "#components/ui/icon-button.tsx";
import { toastFailed } from "#components/ui/toast.tsx";
import { signOutOptions } from "#lib/accounts/client.ts";
import { roleLabels } from "#lib/vocabulary.ts";
import { useReader } from "./reader.tsx";

/** Who is signed in, their account, and the way out. */
export function UserMenu({ onNavigate }: { onNavigate?: () => void }) {
  const { name, role, viaLink } = useReader();
  const signOut = useMutation(signOutOptions);
  const leave = () =>
    signOut.mutate(undefined, {
      // A new document: nothing that was read stays in this one.
      onSuccess: () => window.location.assign("/sign-in"),
      onError: (error) => toastFailed("You are still signed in.", error),
    });
  return (
    <div className="flex items-center gap-1">
      {viaLink ? (
        <span className="flex min-w-0 flex-1 items-center gap-2.5 px-2 py-1 text-ink-2">
          <CircleUser aria-hidden className="size-4 shrink-0 text-ink-3" />
          <span className="truncate">{name}</span>
        </span>
      ) : (
        <Link
          href="/settings/account"
          onClick={() => onNavigate?.()}
          className="flex min-w-0 flex-1 items-center gap-2.5 rounded-md px-2 py-1 text-ink-2 hover:bg-hover hover:text-ink"
        >
          <CircleUser aria-hidden className="size-4 shrink-0 text-ink-3" />
          <span className="sr-only">Your account:</span>
          <span className="flex min-w-0 flex-col">
            <span className="truncate">{name}</span>
            <span className="text-ink-3 text-xs">{roleLabels[role]}</span>
          </span>
        </Link>
      )}
      <IconButton label="Sign out" aria-busy={signOut.isPending} onClick={leave}>
        <LogOut aria-hidden />
      </IconButton>
    </div>
  );
}
