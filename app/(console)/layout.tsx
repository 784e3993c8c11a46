import { headers } from "next/headers";
import type { ReactNode } from "react";
import { Providers } from "#components/layout/providers.tsx";
import { ReaderProvider } from "#components/layout/reader.tsx";
import { readerOf } from "#components/layout/reader-of.ts";
import { Shell } from "#components/layout/shell.tsx";
import { staffActor } from "#lib/auth/page-session.ts";

export default async function ConsoleLayout({ children }: { children: ReactNode }) {
  const actor = await staffActor();
  // With this nothing is rendered ahead of its request, as live data needs it too.
  const nonce = (await headers()).get("x-nonce") ?? undefined;
  return (
    <ReaderProvider reader={readerOf(actor)}>
      <Providers renderedAtMs={Date.now()} nonce={nonce}>
        <Shell>{children}</Shell>
      </Providers>
    </ReaderProvider>
  );
}
