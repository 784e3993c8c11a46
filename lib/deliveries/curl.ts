import type { DeliveryDetail } from "#lib/deliveries/schema.ts";

type Sent = Pick<DeliveryDetail, "event_id" | "attempt_number"> & {
  request: NonNullable<DeliveryDetail["request"]>;
  kind: DeliveryDetail["endpoint"]["kind"];
  /** Of the endpoint's own headers; their values may be credentials and are never known here. */
  headerNames: readonly string[];
  /** Its URL is signed at its end. */
  signsUrl: boolean;
};

const secretMacro = /\{secret\.[A-Za-z0-9_-]{1,64}\}/g;
/** What stands where a value is masked. */
const mask = /•+/;

/**
 * The request as a command for a POSIX shell, and the placeholders in it, in the order in which they come. Signatures,
 * secrets and the endpoint's own headers are left out, so the receiver will refuse it until they are filled in.
 */
export function curlCommand(sent: Sent): { command: string; placeholders: string[] } {
  const { request, kind } = sent;
  const url = sent.signsUrl
    ? `${request.url}${request.url.includes("?") ? "&" : "?"}sig=<signature>`
    : request.url;
  const headers = [
    ...(request.content_type === null ? [] : [`content-type: ${request.content_type}`]),
    `webhook-id: ${sent.event_id}`,
    ...(kind === "webhook"
      ? ["webhook-timestamp: <timestamp>", "webhook-signature: <webhook-signature>"]
      : []),
    `posthorn-attempt: ${Math.max(sent.attempt_number, 1)}`,
    ...sent.headerNames.map((name) => `${name}: <${name}>`),
  ];
  // --globoff: braces and brackets of a URL are no patterns.
  const parts = [
    `curl --globoff -X ${request.method} ${quoted(url)}`,
    ...headers.map((header) => `-H ${quoted(header)}`),
    ...(request.body === null ? [] : [`--data-binary ${quoted(request.body)}`]),
  ];
  const texts = `${url}\n${request.body ?? ""}`;
  const placeholders = [
    ...(sent.signsUrl ? ["<signature>"] : []),
    ...(kind === "webhook" ? ["<timestamp>", "<webhook-signature>"] : []),
    ...sent.headerNames.map((name) => `<${name}>`),
    ...new Set(texts.match(secretMacro) ?? []),
    ...(mask.test(texts) ? ["masked values (••••)"] : []),
  ];
  return { command: parts.join(" \\\n  "), placeholders };
}

/** Within single quotes a shell reads nothing but their end. */
function quoted(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}
