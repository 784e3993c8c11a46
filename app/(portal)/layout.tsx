import { headers } from "next/headers";
import type { ReactNode } from "react";
import { PortalShell } from "#components/layout/portal-shell.tsx";
import { Providers } from "#components/layout/providers.tsx";
import { ReaderProvider } from "#components/layout/reader.tsx";
import { readerOf } from "#components/layout/reader-of.ts";
import { affiliateActor } from "#lib/auth/page-session.ts";

export default async function PortalLayout({ children }: { children: ReactNode }) {
  const actor = await affiliateActor();
  const nonce = (await headers()).get("x-nonce") ?? undefined;
  return (
    <ReaderProvider reader={readerOf(actor)}>
      <Providers renderedAtMs={Date.now()} nonce={nonce}>
        <PortalShell>{children}</PortalShell>
      </Providers>
    </ReaderProvider>
  );
}
