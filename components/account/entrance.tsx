import type { ReactNode } from "react";
import { Brand } from "#components/layout/brand.tsx";

/** The frame of a page before sign-in. */
export function Entrance({ title, children }: { title: string; children: ReactNode }) {
  return (
    <main className="mx-auto flex min-h-dvh w-full max-w-sm flex-col justify-center gap-6 px-6 py-12">
      <Brand />
      <h1 className="font-semibold text-lg tracking-tight">{title}</h1>
      {children}
    </main>
  );
}
