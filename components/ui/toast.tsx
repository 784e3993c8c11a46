"use client";

import Link from "next/link";
import { useTheme } from "next-themes";
import { type ComponentType, useCallback, useEffect, useState } from "react";
import { errorWords } from "#lib/api/fetcher.ts";
import type { Toast, ToasterProps } from "./toaster.tsx";

/** Tells what was done, where the page shows no other sign of it; with a link to the record, where it is elsewhere. */
export function toastDone(message: string, link?: { href: string; label: string }): void {
  const linked = link && (
    <span>
      {message}{" "}
      <Link href={link.href} className="underline underline-offset-2">
        {link.label}
      </Link>
    </span>
  );
  announce({ kind: "done", message: linked ?? message });
}

/** Tells what was refused or failed, and why. */
export function toastFailed(message: string, error?: Error): void {
  announce({
    kind: "failed",
    message,
    ...(error && { description: errorWords(error, { withRequest: true }) }),
  });
}

/** The document's one place of toasts, while it is mounted. */
let place: ((toast: Toast) => void) | null = null;

function announce(toast: Toast): void {
  place?.(toast);
}

/** Where toasts appear. Their code is fetched with the first of them: no page needs it before. */
export function Toasts() {
  const { resolvedTheme } = useTheme();
  const [waiting, setWaiting] = useState<readonly Toast[]>([]);
  const [Toaster, setToaster] = useState<ComponentType<ToasterProps> | null>(null);
  useEffect(() => {
    place = (toast) => {
      setWaiting((before) => [...before, toast]);
      void import("./toaster.tsx").then((loaded) => setToaster(() => loaded.Toaster));
    };
    return () => {
      place = null;
    };
  }, []);
  const clear = useCallback(() => setWaiting([]), []);
  return (
    Toaster && (
      <Toaster theme={resolvedTheme === "dark" ? "dark" : "light"} waiting={waiting} onShown={clear} />
    )
  );
}
