import { headers } from "next/headers";
import type { ReactNode } from "react";
import { Providers } from "#components/layout/providers.tsx";

export default async function EntranceLayout({ children }: { children: ReactNode }) {
  const nonce = (await headers()).get("x-nonce") ?? undefined;
  return (
    <Providers renderedAtMs={Date.now()} nonce={nonce}>
      {children}
    </Providers>
  );
}
