"use client";

import { useSyncExternalStore } from "react";

const never = () => () => {};

/** Where this console is reached, for examples that can be copied as they are. */
export function useOrigin(): string {
  return useSyncExternalStore(
    never,
    () => window.location.origin,
    () => "http://localhost:3000",
  );
}
