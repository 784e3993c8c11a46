import { describe, expect, test } from "vitest";
import { maxValidSecrets, type SecretTerm, validSecrets } from "#lib/delivery/signature.ts";

const hourMs = 3_600_000;
const secret = (createdAtMs: number, change: Partial<SecretTerm> = {}): SecretTerm => ({
  createdAtMs,
  expiresAtMs: null,
  revokedAtMs: null,
  ...change,
});

describe("validSecrets", () => {
  test("case 17: rotated twice within an hour: three sign, then two, then one", () => {
    const first = secret(0, { expiresAtMs: 24 * hourMs });
    const second = secret(hourMs / 2, { expiresAtMs: 24.5 * hourMs });
    const third = secret(hourMs);
    const all = [first, second, third];
    expect(validSecrets(all, 2 * hourMs)).toEqual([third, second, first]);
    expect(validSecrets(all, 24 * hourMs - 1)).toEqual([third, second, first]);
    expect(validSecrets(all, 24 * hourMs)).toEqual([third, second]);
    expect(validSecrets(all, 24.5 * hourMs)).toEqual([third]);
    expect(all).toEqual([first, second, third]);
  });
  test("a revoked one is gone at once, one that will be revoked is not", () => {
    const revoked = secret(0, { revokedAtMs: 50, expiresAtMs: 1_000 });
    expect(validSecrets([revoked, secret(1)], 49)).toHaveLength(2);
    expect(validSecrets([revoked, secret(1)], 50)).toEqual([secret(1)]);
  });
  test("five sign at most, the newest", () => {
    const many = [3, 1, 4, 2, 6, 5].map((createdAtMs) => secret(createdAtMs));
    expect(maxValidSecrets).toBe(5);
    expect(validSecrets(many, 10).map(({ createdAtMs }) => createdAtMs)).toEqual([6, 5, 4, 3, 2]);
  });
  test("none may be left", () => {
    expect(validSecrets([secret(0, { expiresAtMs: 5 })], 5)).toEqual([]);
  });
});
