"use client";

import { type ComponentProps, lazy, Suspense, useState } from "react";
import type * as real from "./dialog.tsx";

const RealDialog = lazy(async () => ({ default: (await import("./dialog.tsx")).Dialog }));
const RealConfirmDialog = lazy(async () => ({ default: (await import("./dialog.tsx")).ConfirmDialog }));

/** A dialog whose code is fetched when it first opens. */
export function Dialog(props: ComponentProps<typeof real.Dialog>) {
  return useWasOpen(props.open) ? (
    <Suspense fallback={null}>
      <RealDialog {...props} />
    </Suspense>
  ) : null;
}

/** A question whose code is fetched when it is first asked. */
export function ConfirmDialog(props: ComponentProps<typeof real.ConfirmDialog>) {
  return useWasOpen(props.open) ? (
    <Suspense fallback={null}>
      <RealConfirmDialog {...props} />
    </Suspense>
  ) : null;
}

/** Stays mounted once it was open, so that closing can give the focus back. */
export function useWasOpen(open: boolean): boolean {
  const [wasOpen, setWasOpen] = useState(open);
  if (open && !wasOpen) setWasOpen(true);
  return wasOpen || open;
}
