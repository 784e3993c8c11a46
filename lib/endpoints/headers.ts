import { invalidInput } from "#lib/api/issues.ts";
import { secretKeys } from "#lib/config.ts";
import { decryptSecret, encryptSecret } from "#lib/secrets.ts";
import type { EndpointHeader, GivenHeader } from "./schema.ts";

/** An endpoint's own headers as they are stored: values may be credentials, so they are encrypted as secrets are. */
export type StoredHeaders = { headerNames: string[]; headerValues: Buffer | null };

/** As they are stored. `endpointId`: the ciphertext decrypts for this endpoint only. */
export function sealHeaders(headers: readonly EndpointHeader[], endpointId: string): StoredHeaders {
  if (headers.length === 0) return { headerNames: [], headerValues: null };
  const values = Buffer.from(JSON.stringify(headers.map((header) => header.value)));
  return {
    headerNames: headers.map((header) => header.name),
    headerValues: encryptSecret(values, { key: secretKeys()[0], context: endpointId }),
  };
}

function openHeaders({ headerNames, headerValues }: StoredHeaders, endpointId: string): EndpointHeader[] {
  if (headerValues === null) return [];
  const plain = decryptSecret(headerValues, { keys: secretKeys(), context: endpointId });
  const values: string[] = JSON.parse(plain.toString());
  return headerNames.map((name, i) => ({ name, value: values[i] as string }));
}

/** An edit of the headers: as they are stored from now on, and what the audit log says, which knows no value. */
type HeaderEdit = {
  stored: StoredHeaders;
  audit: { before: Record<string, string[]>; after: Record<string, string[]> };
};

/**
 * An edit's list in place of the stored one; where the edit gives no value, that of the stored header with this
 * name stays. Null when nothing differs. 422 names a header that is new and has no value.
 */
export function editHeaders(
  stored: StoredHeaders,
  given: readonly GivenHeader[],
  endpointId: string,
): HeaderEdit | null {
  const before = openHeaders(stored, endpointId);
  const storedValue = (name: string) => before.find((header) => sameName(header.name, name))?.value;
  const headers = given.map(({ name, value }, i) => {
    const kept = value ?? storedValue(name);
    if (kept !== undefined) return { name, value: kept };
    const message = "is needed: no value is stored for a header with this name";
    throw invalidInput([{ field: `headers.${i}.value`, message }]);
  });
  if (JSON.stringify(headers) === JSON.stringify(before)) return null;
  const newValues = headers.filter(({ name, value }) => storedValue(name) !== value).map(({ name }) => name);
  return {
    stored: sealHeaders(headers, endpointId),
    audit: {
      before: { headers: stored.headerNames },
      after: { headers: headers.map(({ name }) => name), new_header_values: newValues },
    },
  };
}

function sameName(a: string, b: string): boolean {
  return a.toLowerCase() === b.toLowerCase();
}
