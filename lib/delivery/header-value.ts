/** The first value of a response's header; `name` in lower case, `headers` names and values by turns as they came. */
export function headerValue(headers: readonly string[], name: string): string | undefined {
  const at = headers.findIndex((text, i) => i % 2 === 0 && text.toLowerCase() === name);
  return at === -1 ? undefined : headers[at + 1];
}

/** The same list as pairs of name and value. */
export function headerPairs(headers: readonly string[]): [name: string, value: string][] {
  return headers.flatMap((name, place) => (place % 2 === 0 ? [[name, headers[place + 1] ?? ""]] : []));
}
