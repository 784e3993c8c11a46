/** Where 32 or more hex digits stand in a row. */
export function* hexRuns(text: string): Generator<{ start: number; end: number }> {
  // Every such row has a digit at one of these places, so that most of the text need not be read.
  for (let at = minRun - 1; at < text.length; at += minRun) {
    if (hexDigit(text.charCodeAt(at)) === -1) continue;
    let start = at;
    while (start > 0 && hexDigit(text.charCodeAt(start - 1)) !== -1) start--;
    let end = at + 1;
    while (end < text.length && hexDigit(text.charCodeAt(end)) !== -1) end++;
    if (end - start < minRun) continue;
    yield { start, end };
    at = end;
  }
}

const minRun = 32;

/** The digit's value; -1 when it is none. */
export function hexDigit(code: number): number {
  if (code >= 0x30 && code <= 0x39) return code - 0x30;
  const small = code | 0x20;
  return small >= 0x61 && small <= 0x66 ? small - 0x57 : -1;
}
