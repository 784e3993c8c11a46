"use client";

import { usePathname } from "next/navigation";

const portal = "/portal";

/** Whether the page is one of the portal's, where its reader looks at what is their own. */
export function useIsPortal(): boolean {
  const path = usePathname();
  return path === portal || path.startsWith(`${portal}/`);
}

/** Makes of a record's path, such as `/deliveries/1`, the one that the reader of this page follows. */
export function useOwnPath(): (path: string) => string {
  const isPortal = useIsPortal();
  return (path) => (isPortal ? portal + path : path);
}
