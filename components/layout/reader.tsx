"use client";

import { createContext, type ReactNode, use } from "react";
import { type Asker, can, type Resource, type Verb } from "#lib/auth/permissions.ts";
import type { Role } from "#lib/vocabulary.ts";

/** Who looks at the page, as the server found when it was loaded. */
export type Reader = Asker & {
  kind: "user";
  id: string;
  role: Role;
  name: string;
  email: string;
  /** The affiliate that they view as, and until when. */
  viewing: { name: string; endsAt: string } | null;
};

const ReaderContext = createContext<Reader | null>(null);

export function ReaderProvider({ reader, children }: { reader: Reader; children: ReactNode }) {
  return <ReaderContext value={reader}>{children}</ReaderContext>;
}

export function useReader(): Reader {
  const reader = use(ReaderContext);
  if (!reader) throw new Error("this page has no reader");
  return reader;
}

/** The same, where pages before sign-in have no reader. */
export function useReaderIfAny(): Reader | null {
  return use(ReaderContext);
}

/** Whether the reader looks at what is one affiliate's alone: to them "their server" is "your server". */
export function useIsAffiliate(): boolean {
  return useReader().affiliateId !== null;
}

/** Where the reader finds what the console has at a path: an affiliate's pages are the portal's, under the same names. */
export function usePlace(): (path: string) => string {
  const isOwner = useIsAffiliate();
  return (path) => (isOwner ? `/portal${path}` : path);
}

/** Why the reader may not do this, in words for beside the button; null when they may. */
export function useRefusal(verb: Verb, resource?: Resource): string | null {
  const refusal = can(useReader(), verb, resource);
  return refusal === null ? null : `${refusal}.`;
}
