"use client";

import { type ReactNode, useEffect } from "react";
import { Toaster as Region, toast } from "sonner";

export type Toast = { kind: "done" | "failed"; message: ReactNode; description?: string };

export type ToasterProps = { theme: "light" | "dark"; waiting: readonly Toast[]; onShown: () => void };

/** Shows what waits, once the region that announces it is in the document. */
export function Toaster({ theme, waiting, onShown }: ToasterProps) {
  useEffect(() => {
    if (waiting.length === 0) return;
    for (const { kind, message, description } of waiting) {
      if (kind === "done") toast.success(message);
      else toast.error(message, { description, duration: 10_000 });
    }
    onShown();
  }, [waiting, onShown]);
  return (
    <Region
      theme={theme}
      position="bottom-right"
      duration={6_000}
      toastOptions={{
        style: {
          background: "var(--raised)",
          color: "var(--ink)",
          borderColor: "var(--line)",
          fontFamily: "inherit",
        },
        classNames: { description: "!text-ink-2", actionButton: "!bg-transparent !text-ink !underline" },
      }}
    />
  );
}
