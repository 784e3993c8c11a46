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

/** Why the reader may not do this, in words for beside the button; null when they may. */
export function useRefusal(verb: Verb, resource?: Resource): string | null {
  const refusal = can(useReader(), verb, resource);
  return refusal === null ? null : `${refusal}.`;
}
