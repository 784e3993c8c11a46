import { createCipheriv, createDecipheriv, createHash, randomBytes } from "node:crypto";

/**
 * Encryption of endpoint secrets at rest: AES-256-GCM, a fresh 96-bit nonce each, and the row's id as
 * associated data, so that a ciphertext copied to another row does not decrypt.
 * Layout: version (1 byte) | key fingerprint (4) | nonce (12) | tag (16) | ciphertext.
 */
const version = 1;
const fingerprintBytes = 4;
const nonceBytes = 12;
const tagBytes = 16;

const secretPrefix = "whsec_";

/** The bytes behind `whsec_...`: 32 random ones (Standard Webhooks asks for 24 to 64). */
export function generateSigningSecret(): Buffer {
  return randomBytes(32);
}

/** As people and libraries see it: `whsec_` and base64. */
export function formatSigningSecret(secret: Buffer): string {
  return `${secretPrefix}${secret.toString("base64")}`;
}

/** What signs for a key as somebody wrote it down: the bytes behind `whsec_...`, else the text itself. */
export function signingKeyOf(text: string): Buffer {
  return text.startsWith(secretPrefix)
    ? Buffer.from(text.slice(secretPrefix.length), "base64")
    : Buffer.from(text);
}

/** `key`: 32 bytes. `context`: the id of the row that will hold the result. */
export function encryptSecret(plain: Buffer, options: { key: Buffer; context: string }): Buffer {
  const nonce = randomBytes(nonceBytes);
  const cipher = createCipheriv("aes-256-gcm", options.key, nonce).setAAD(Buffer.from(options.context));
  const sealed = Buffer.concat([cipher.update(plain), cipher.final()]);
  return Buffer.concat([
    Buffer.from([version]),
    fingerprint(options.key),
    nonce,
    cipher.getAuthTag(),
    sealed,
  ]);
}

/**
 * `keys`: the current one, then those before it. Throws a plain error, naming no bytes, when the secret was
 * encrypted with none of them or the ciphertext was changed.
 */
export function decryptSecret(stored: Buffer, options: { keys: readonly Buffer[]; context: string }): Buffer {
  const nonceStart = 1 + fingerprintBytes;
  const tagStart = nonceStart + nonceBytes;
  const sealedStart = tagStart + tagBytes;
  if (stored.length < sealedStart || stored[0] !== version)
    throw new Error("stored secret has an unknown format");
  const key = options.keys.find((candidate) => isEncryptedWith(stored, candidate));
  if (!key) throw new Error("stored secret was encrypted with another POSTHORN_SECRET_KEY");
  const decipher = createDecipheriv("aes-256-gcm", key, stored.subarray(nonceStart, tagStart))
    .setAAD(Buffer.from(options.context))
    .setAuthTag(stored.subarray(tagStart, sealedStart));
  return Buffer.concat([decipher.update(stored.subarray(sealedStart)), decipher.final()]);
}

/** The first bytes of everything that is encrypted with a key, so that the database can find the rest. */
export function ciphertextPrefix(key: Buffer): Buffer {
  return Buffer.concat([Buffer.from([version]), fingerprint(key)]);
}

function isEncryptedWith(stored: Buffer, key: Buffer): boolean {
  return stored.subarray(0, 1 + fingerprintBytes).equals(ciphertextPrefix(key));
}

function fingerprint(key: Buffer): Buffer {
  return createHash("sha256")
    .update("posthorn secret key")
    .update(key)
    .digest()
    .subarray(0, fingerprintBytes);
}
