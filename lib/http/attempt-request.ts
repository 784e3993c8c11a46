import { createSecretKey, type KeyObject } from "node:crypto";
import { postbackHeaders, webhookBody, webhookHeaders } from "#lib/delivery/request.ts";
import { signUrl, signWebhook } from "#lib/delivery/signature.ts";
import { type FilledSecrets, fillSecrets } from "#lib/delivery/template/secrets.ts";
import { maxUrlBytes } from "#lib/delivery/template/types.ts";
import { unsentCodes } from "#lib/delivery/unsent.ts";
import type { Content, EndpointSettings, EventBody } from "#lib/queue/load.ts";
import type { FrozenRequest } from "#lib/queue/rendering.ts";
import { decryptSecret } from "#lib/secrets.ts";
import type { HttpMethod } from "#lib/vocabulary.ts";

/** One request, or why none can be made. `shownUrl`: the URL as it may be stored and shown, secrets as macros. */
export type AttemptRequest =
  | { method: HttpMethod; url: string; shownUrl: string; headers: string[]; body: Buffer | null }
  | { shownUrl: string; errorCode: string };

export type AttemptInput = {
  endpoint: EndpointSettings;
  eventId: string;
  attemptNumber: number;
  /** Null when it has been purged. */
  content: Content | null;
  /** By the database's clock. */
  timestampSeconds: number;
};

const fillErrors = {
  unknown_secret: unsentCodes.secret_missing,
  unsafe_path_value: unsentCodes.unsafe_path_value,
  url_too_long: unsentCodes.url_too_long,
  body_too_long: unsentCodes.body_too_long,
} satisfies Record<Extract<FilledSecrets, { kind: "failed" }>["reason"], string>;

/**
 * Makes what turns an endpoint and what it is to get into the bytes of one request, signed and with its secrets in
 * it: the only place where those are in the clear. Keys are kept, so one maker serves a whole process.
 */
export function createRequestMaker(secretKeys: readonly Buffer[]): (input: AttemptInput) => AttemptRequest {
  const signingKey = createKeyCache(secretKeys);
  const headersOf = createSealedCache(secretKeys, (pairs) => pairs.flat());
  const secretsOf = createSealedCache(secretKeys, (pairs) => new Map(pairs));

  function webhook(
    { endpoint, attemptNumber, timestampSeconds }: AttemptInput,
    event: EventBody,
  ): AttemptRequest {
    const { url, secrets } = endpoint;
    const body = webhookBody(event);
    const signature = signWebhook({ id: event.id, timestampSeconds, body }, secrets.map(signingKey));
    const headers = webhookHeaders({ eventId: event.id, timestampSeconds, signature, attemptNumber });
    return { method: "POST", url, shownUrl: url, headers, body };
  }

  /** The signature covers the very URL that is sent, so it is made after the secrets are in it. */
  function postback(
    { endpoint, eventId, attemptNumber }: AttemptInput,
    frozen: FrozenRequest,
  ): AttemptRequest {
    const { id, macroSecretNames: names, macroSecretValues: ciphertext } = endpoint;
    const filled = fillSecrets(frozen, secretsOf({ id, names, ciphertext }));
    if (filled.kind === "failed") return { shownUrl: frozen.url, errorCode: fillErrors[filled.reason] };
    const newest = endpoint.secrets[0];
    const isSigned = endpoint.signUrl && frozen.method === "GET" && newest !== undefined;
    const sig = isSigned ? signUrl(filled.url, signingKey(newest)).slice(filled.url.length) : "";
    if (filled.url.length + sig.length > maxUrlBytes) {
      return { shownUrl: frozen.url, errorCode: fillErrors.url_too_long };
    }
    return {
      method: frozen.method,
      url: filled.url + sig,
      shownUrl: frozen.url + sig,
      headers: postbackHeaders({ eventId, attemptNumber, contentType: frozen.contentType }),
      body: filled.body === null ? null : Buffer.from(filled.body),
    };
  }

  return (input) => {
    const { endpoint, content } = input;
    if (content === null) return { shownUrl: endpoint.url, errorCode: unsentCodes.body_purged };
    const request =
      content.kind === "webhook" ? webhook(input, content.event) : postback(input, content.request);
    if ("errorCode" in request) return request;
    const { id, headerNames: names, headerValues: ciphertext } = endpoint;
    request.headers.push(...headersOf({ id, names, ciphertext }));
    return request;
  };
}

const cacheSize = 10_000;

/** A secret's row never changes, so its key can be kept by its id; a revoked one is simply not asked for again. */
function createKeyCache(
  secretKeys: readonly Buffer[],
): (secret: { id: string; ciphertext: Buffer }) => KeyObject {
  const keys = new Map<string, KeyObject>();
  return ({ id, ciphertext }) => {
    const known = keys.get(id);
    if (known) return known;
    if (keys.size >= cacheSize) keys.clear();
    const key = createSecretKey(decryptSecret(ciphertext, { keys: secretKeys, context: id }));
    keys.set(id, key);
    return key;
  };
}

/** Names, and their values encrypted as one list (lib/endpoints/sealed.ts). */
type Sealed = { id: string; names: readonly string[]; ciphertext: Buffer | null };

/**
 * What an endpoint keeps under names of its own, decrypted again when its ciphertext is another one.
 * `make`: from names and values what is wanted of them.
 */
function createSealedCache<T>(
  secretKeys: readonly Buffer[],
  make: (pairs: (readonly [name: string, value: string])[]) => T,
): (sealed: Sealed) => T {
  const cache = new Map<string, { ciphertext: Buffer; value: T }>();
  const empty = make([]);
  return ({ id, names, ciphertext }) => {
    if (ciphertext === null) return empty;
    const known = cache.get(id);
    if (known?.ciphertext.equals(ciphertext)) return known.value;
    if (cache.size >= cacheSize) cache.clear();
    const plain = decryptSecret(ciphertext, { keys: secretKeys, context: id }).toString();
    const values: string[] = JSON.parse(plain);
    const value = make(names.map((name, i) => [name, values[i] as string] as const));
    cache.set(id, { ciphertext, value });
    return value;
  };
}
