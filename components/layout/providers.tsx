"use client";

import { MutationCache, QueryCache, QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { ThemeProvider } from "next-themes";
import { NuqsAdapter } from "nuqs/adapters/next/app";
import { type ReactNode, useState } from "react";
import { Toasts } from "#components/ui/toast.tsx";
import { ApiError } from "#lib/api/fetcher.ts";
import { signInPath } from "#lib/auth/local-path.ts";
import { ClockProvider } from "./clock.tsx";
import { ShortcutsProvider } from "./shortcuts.tsx";

function makeQueryClient() {
  return new QueryClient({
    queryCache: new QueryCache({ onError: leaveIfSignedOut }),
    mutationCache: new MutationCache({ onError: leaveIfSignedOut }),
    defaultOptions: {
      queries: {
        // Server-rendered data is fresh for a moment; then lists refresh at the reader's interval.
        staleTime: 2_000,
        // Loopback works without a network, so the browser's idea of being offline does not matter.
        networkMode: "always",
        // What took the database too long would only keep it busy once more.
        retry: (failures, error) =>
          failures < 1 &&
          error instanceof ApiError &&
          error.status >= 500 &&
          error.code !== "database_timeout",
        retryDelay: 500,
      },
      mutations: { networkMode: "always", retry: false },
    },
  });
}

/** The session has ended meanwhile: to the sign-in page, which leads back here. */
function leaveIfSignedOut(error: Error): void {
  if (!(error instanceof ApiError) || error.code !== "unauthorized") return;
  const { pathname, search } = window.location;
  window.location.assign(signInPath(pathname + search));
}

type ProvidersProps = {
  renderedAtMs: number;
  nonce: string | undefined;
  children: ReactNode;
};

export function Providers({ renderedAtMs, nonce, children }: ProvidersProps) {
  const [queryClient] = useState(makeQueryClient);
  const [documentNonce] = useState(() => findDocumentNonce() ?? nonce);
  return (
    <ThemeProvider
      attribute="data-theme"
      defaultTheme="system"
      disableTransitionOnChange
      {...(documentNonce && { nonce: documentNonce })}
    >
      <QueryClientProvider client={queryClient}>
        <NuqsAdapter>
          <ClockProvider renderedAtMs={renderedAtMs}>
            <ShortcutsProvider>{children}</ShortcutsProvider>
          </ClockProvider>
        </NuqsAdapter>
        <Toasts />
      </QueryClientProvider>
    </ThemeProvider>
  );
}

/** What is loaded without a new document comes with a nonce of its own, but the policy stays the document's. */
function findDocumentNonce(): string | undefined {
  if (typeof document === "undefined") return undefined;
  return document.querySelector<HTMLScriptElement>("script[nonce]")?.nonce;
}
