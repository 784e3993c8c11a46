/**
 * PostgreSQL array literals for whole columns of a batch, several times cheaper than the driver's own
 * conversion of arrays, which inspects and escapes every element.
 */
type Plain = string | number | boolean | null;

/** For ids, numbers, booleans and words of our vocabulary: nothing that would need quoting. */
export function plainArray(values: readonly Plain[]): string {
  return `{${values.map((value) => value ?? "NULL").join(",")}}`;
}

/** For any text. */
export function textArray(values: readonly (string | null)[]): string {
  return `{${values.map((value) => (value === null ? "NULL" : `"${value.replace(/["\\]/g, "\\$&")}"`)).join(",")}}`;
}

export function byteaArray(values: readonly (Buffer | null)[]): string {
  return `{${values.map((value) => (value === null ? "NULL" : `"\\\\x${value.toString("hex")}"`)).join(",")}}`;
}

/** The other way round, for integers[] that the query casts to text: ten times cheaper than the driver's own. */
export function parseIntegers(array: string): number[] {
  return JSON.parse(`[${array.slice(1, -1)}]`);
}
