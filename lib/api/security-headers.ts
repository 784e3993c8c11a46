/**
 * What every answer of the web process carries. A year of HTTPS is asked of browsers only where the deployment says
 * that they reach it by HTTPS (`publicUrl`).
 */
export function standardHeaders(publicUrl: string | undefined): Record<string, string> {
  return {
    "content-security-policy": "default-src 'none'; frame-ancestors 'none'",
    "x-content-type-options": "nosniff",
    "referrer-policy": "same-origin",
    "permissions-policy": `${refusedFeatures.map((feature) => `${feature}=()`).join(", ")}`,
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    ...(publicUrl?.startsWith("https:") ? { "strict-transport-security": "max-age=31536000" } : {}),
  };
}

const refusedFeatures = [
  "accelerometer",
  "autoplay",
  "camera",
  "display-capture",
  "geolocation",
  "gyroscope",
  "magnetometer",
  "microphone",
  "midi",
  "payment",
  "publickey-credentials-get",
  "screen-wake-lock",
  "usb",
  "xr-spatial-tracking",
];

/**
 * The style element that the toasts add by themselves, which can be given no nonce: as it is added, and once its text
 * is in it. A new version of sonner has another text.
 */
const toastStyles = [
  "'sha256-47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU='",
  "'sha256-StEaX+se6YS7pqjzrzMIA0KaX9zF/8zAhvQXZAe5epY='",
];

/**
 * The policy of a page whose own scripts and styles carry `nonce`. Attributes may style, since charts place their parts
 * so. In development React evaluates code to rebuild the server's stacks, and styles come without a nonce.
 */
export function pagePolicy({ nonce, isDevelopment }: { nonce: string; isDevelopment: boolean }): string {
  const styles = isDevelopment ? "'unsafe-inline'" : `'nonce-${nonce}' ${toastStyles.join(" ")}`;
  return [
    "default-src 'none'",
    `script-src 'self' 'nonce-${nonce}' 'strict-dynamic'${isDevelopment ? " 'unsafe-eval'" : ""}`,
    "script-src-attr 'none'",
    `style-src 'self' ${styles}`,
    "style-src-attr 'unsafe-inline'",
    "img-src 'self'",
    "font-src 'self'",
    "connect-src 'self'",
    "object-src 'none'",
    "base-uri 'none'",
    "form-action 'self'",
    "frame-ancestors 'none'",
  ].join("; ");
}
