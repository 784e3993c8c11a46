import { connection } from "next/server";
import type { ReactNode } from "react";
import { Providers } from "#components/layout/providers.tsx";
import { Shell } from "#components/layout/shell.tsx";

export default async function ConsoleLayout({ children }: { children: ReactNode }) {
  // Every page shows live data, so nothing is rendered ahead of its request.
  await connection();
  return (
    <Providers renderedAtMs={Date.now()}>
      <Shell>{children}</Shell>
    </Providers>
  );
}
