/** Set on every page's request by the proxy: the path that it was asked for. */
export const pathHeader = "x-posthorn-path";

/** `path` when it is one of this console, else `/`: what leads elsewhere is not followed after sign-in. */
export function localPath(path: string | null | undefined): string {
  const base = "http://console.invalid";
  if (!path?.startsWith("/") || /[\\\p{Cc}]/u.test(path)) return "/";
  const url = URL.parse(path, base);
  if (!url || url.origin !== base) return "/";
  const local = url.pathname + url.search + url.hash;
  // What begins with two slashes would name a host, also where dots were taken out before them.
  return local.startsWith("//") ? "/" : local;
}

/** The sign-in page that leads back to `path`. */
export function signInPath(path: string): string {
  const next = localPath(path);
  return next === "/" ? "/sign-in" : `/sign-in?next=${encodeURIComponent(next)}`;
}
