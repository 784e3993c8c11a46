import { describe, expect, test } from "vitest";
import { decryptSecret, encryptSecret, formatSigningSecret, generateSigningSecret } from "#lib/secrets.ts";

const key = Buffer.alloc(32, 1);

describe("secrets at rest", () => {
  test("what is encrypted comes back, and differs each time", () => {
    const plain = generateSigningSecret();
    const one = encryptSecret(plain, { key, context: "row-1" });
    const two = encryptSecret(plain, { key, context: "row-1" });
    expect(decryptSecret(one, { keys: [key], context: "row-1" })).toEqual(plain);
    expect(one.equals(two)).toBe(false);
    expect(one.includes(plain)).toBe(false);
  });
  test("another key is named as the reason", () => {
    const stored = encryptSecret(Buffer.from("x"), { key, context: "row-1" });
    expect(() => decryptSecret(stored, { keys: [Buffer.alloc(32, 2)], context: "row-1" })).toThrow(
      /POSTHORN_SECRET_KEY/,
    );
  });
  test("a previous key still reads what it encrypted", () => {
    const stored = encryptSecret(Buffer.from("x"), { key, context: "row-1" });
    const keys = [Buffer.alloc(32, 2), Buffer.alloc(32, 3), key];
    expect(decryptSecret(stored, { keys, context: "row-1" }).toString()).toBe("x");
  });
  test("a ciphertext that was changed, cut, or copied to another row does not decrypt", () => {
    const stored = encryptSecret(Buffer.from("secret"), { key, context: "row-1" });
    const changed = Buffer.from(stored);
    changed[stored.length - 1] = (changed[stored.length - 1] as number) ^ 1;
    expect(() => decryptSecret(changed, { keys: [key], context: "row-1" })).toThrow();
    expect(() => decryptSecret(stored.subarray(0, 20), { keys: [key], context: "row-1" })).toThrow();
    expect(() => decryptSecret(stored, { keys: [key], context: "row-2" })).toThrow();
  });
  test("is shown as Standard Webhooks says", () => {
    expect(formatSigningSecret(Buffer.alloc(32))).toBe(`whsec_${Buffer.alloc(32).toString("base64")}`);
  });
});
