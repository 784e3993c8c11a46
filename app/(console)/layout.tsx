import { headers } from "next/headers";
import type { ReactNode } from "react";
import { Providers } from "#components/layout/providers.tsx";
import { Shell } from "#components/layout/shell.tsx";

export default async function ConsoleLayout({ children }: { children: ReactNode }) {
  // With this nothing is rendered ahead of its request, as live data needs it too.
  const nonce = (await headers()).get("x-nonce") ?? undefined;
  return (
    <Providers renderedAtMs={Date.now()} nonce={nonce}>
      <Shell>{children}</Shell>
    </Providers>
  );
}
