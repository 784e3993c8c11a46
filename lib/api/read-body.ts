import { isUtf8 } from "node:buffer";
import { Problem } from "#lib/errors.ts";

/** Beyond its limit a body is still read this far, and thrown away, so that the sender hears the answer. */
const maxDrainedBytes = 64 * 1_048_576;

/**
 * The body's bytes, of which never more than `maxBytes` are kept. Throws 413, 415, or 400 if it breaks off. One that
 * may be empty needs no content type then.
 */
export async function readBody(
  request: Request,
  { maxBytes, mayBeEmpty = false }: { maxBytes: number; mayBeEmpty?: boolean },
): Promise<Buffer> {
  if (!mayBeEmpty) checkContentType(request.headers);
  const tooLarge = new Problem("too_large", `The body may have at most ${maxBytes} bytes`);
  const declaredBytes = Number(request.headers.get("content-length") ?? 0);
  if (declaredBytes > maxDrainedBytes) throw tooLarge;
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  try {
    for await (const chunk of request.body ?? []) {
      bytes += chunk.byteLength;
      if (bytes <= maxBytes) chunks.push(chunk);
      else chunks.length = 0;
      if (bytes > maxDrainedBytes) break;
    }
  } catch {
    throw new Problem("incomplete_body", "The body broke off before its end");
  }
  if (bytes > maxBytes) throw tooLarge;
  if (mayBeEmpty && bytes > 0) checkContentType(request.headers);
  return Buffer.concat(chunks, bytes);
}

/** A JSON body's value. Throws a 400 that says what is wrong and repeats nothing of it. */
export function parseJsonBody(bytes: Buffer): unknown {
  if (!isUtf8(bytes)) throw new Problem("invalid_utf8", "The body must be UTF-8");
  try {
    return JSON.parse(bytes.toString("utf8"));
  } catch {
    throw new Problem(
      "malformed_json",
      bytes.length === 0 ? "A JSON body is needed" : "The body is not JSON",
    );
  }
}

function checkContentType(headers: Headers): void {
  const [type, ...parameters] = (headers.get("content-type") ?? "")
    .split(";")
    .map((part) => part.trim().toLowerCase());
  const charset = parameters.find((parameter) => parameter.startsWith("charset="))?.slice("charset=".length);
  if (type !== "application/json" || (charset !== undefined && charset.replaceAll('"', "") !== "utf-8")) {
    throw new Problem("unsupported_media_type", "Send application/json in UTF-8");
  }
  const encoding = headers.get("content-encoding") ?? "identity";
  if (encoding.toLowerCase() !== "identity") {
    throw new Problem("unsupported_media_type", "Send the body without a content encoding");
  }
}
