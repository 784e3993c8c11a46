import { headers } from "next/headers";
import { notFound } from "next/navigation";
import type { ReactNode } from "react";
import { PortalShell } from "#components/layout/portal-shell.tsx";
import { Providers } from "#components/layout/providers.tsx";
import { ReaderProvider } from "#components/layout/reader.tsx";
import { readerOf } from "#components/layout/reader-of.ts";
import { Shell } from "#components/layout/shell.tsx";
import { signedInActor } from "#lib/auth/page-session.ts";
import { isStaff } from "#lib/auth/permissions.ts";

/** For whoever is signed in, in the frame that they know. */
export default async function AccountLayout({ children }: { children: ReactNode }) {
  const actor = await signedInActor();
  // By a portal link there is no account; here, as what is above the loading state decides the status of the answer.
  if (actor.viaLink) notFound();
  const nonce = (await headers()).get("x-nonce") ?? undefined;
  const Frame = isStaff(actor) && !actor.viewing ? Shell : PortalShell;
  return (
    <ReaderProvider reader={readerOf(actor)}>
      <Providers renderedAtMs={Date.now()} nonce={nonce}>
        <Frame>{children}</Frame>
      </Providers>
    </ReaderProvider>
  );
}
