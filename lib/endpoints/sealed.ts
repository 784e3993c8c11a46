import { invalidInput } from "#lib/api/issues.ts";
import { secretKeys } from "#lib/config.ts";
import { decryptSecret, encryptSecret } from "#lib/secrets.ts";

/**
 * A list that an endpoint keeps under names of its own choice (its headers, the secrets of its template) as it is
 * stored: the values are credentials, or may be, so they are encrypted as secrets are, in the order of the names.
 */
export type Sealed = { names: string[]; values: Buffer | null };
type Named = { name: string; value: string };
/** Null keeps the value that is stored under this name. */
type Given = { name: string; value: string | null };

/** As it is stored. `endpointId`: the ciphertext decrypts for this endpoint only. */
export function seal(list: readonly Named[], endpointId: string): Sealed {
  if (list.length === 0) return { names: [], values: null };
  const values = Buffer.from(JSON.stringify(list.map(({ value }) => value)));
  return {
    names: list.map(({ name }) => name),
    values: encryptSecret(values, { key: secretKeys()[0], context: endpointId }),
  };
}

function open({ names, values }: Sealed, endpointId: string): Named[] {
  if (values === null) return [];
  const plain = decryptSecret(values, { keys: secretKeys(), context: endpointId });
  const texts: string[] = JSON.parse(plain.toString());
  return names.map((name, i) => ({ name, value: texts[i] as string }));
}

/** As it is stored from now on, and what the audit log says, which knows no value. */
type SealedEdit = {
  stored: Sealed;
  audit: { before: Record<string, string[]>; after: Record<string, string[]> };
};

/**
 * An edit's list in place of the stored one; where the edit gives no value, that of the stored entry with this name
 * stays. Null when nothing differs. 422 names an entry of `field` that is new and has no value.
 */
export function editSealed(
  stored: Sealed,
  given: readonly Given[],
  {
    endpointId,
    field,
    isSame,
  }: { endpointId: string; field: string; isSame: (a: string, b: string) => boolean },
): SealedEdit | null {
  const before = open(stored, endpointId);
  const storedValue = (name: string) => before.find((entry) => isSame(entry.name, name))?.value;
  const list = given.map(({ name, value }, i) => {
    const kept = value ?? storedValue(name);
    if (kept !== undefined) return { name, value: kept };
    const message = "is needed: no value is stored under this name";
    throw invalidInput([{ field: `${field}.${i}.value`, message }]);
  });
  if (JSON.stringify(list) === JSON.stringify(before)) return null;
  const newValues = list.filter(({ name, value }) => storedValue(name) !== value).map(({ name }) => name);
  return {
    stored: seal(list, endpointId),
    audit: {
      before: { [field]: stored.names },
      after: { [field]: list.map(({ name }) => name), [`new_${field.slice(0, -1)}_values`]: newValues },
    },
  };
}
