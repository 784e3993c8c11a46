import { parseTemplate } from "#lib/delivery/template/parse.ts";
import type { TextKind } from "#lib/delivery/template/types.ts";

/** A place in the text that something is wrong with. */
export type Mark = { at: number; length: number; look: "fault" | "warning" };

/** Text that looks the same from end to end. */
export type Stretch = { text: string; at: number; isMacro: boolean; look: Mark["look"] | null };

/** Cuts a template where macros and marks begin and end; the stretches add up to the text. Where marks meet, faults show. */
export function stretches(text: string, kind: TextKind, marks: readonly Mark[]): Stretch[] {
  const parts = parseTemplate(text, kind).tokens.map((token) => ({
    at: token.at,
    end: token.at + (token.kind === "macro" ? token.written.length : token.text.length),
    isMacro: token.kind === "macro",
  }));
  const sorted = [...marks].sort((a, b) => a.at - b.at);
  const borders = sorted.flatMap(({ at, length }) => [at, at + length]).sort((a, b) => a - b);
  const result: Stretch[] = [];
  let border = 0;
  let first = 0;
  for (const { at, end, isMacro } of parts) {
    let from = at;
    while (from < end) {
      while ((borders[border] ?? end) <= from && border < borders.length) border += 1;
      const to = Math.min(borders[border] ?? end, end);
      while (first < sorted.length && markEnd(sorted[first]) <= from) first += 1;
      result.push({ text: text.slice(from, to), at: from, isMacro, look: lookAt(sorted, first, from) });
      from = to;
    }
  }
  return result;
}

const markEnd = (mark: Mark | undefined) => (mark ? mark.at + mark.length : 0);

function lookAt(sorted: readonly Mark[], first: number, at: number): Mark["look"] | null {
  let look: Mark["look"] | null = null;
  for (let i = first; i < sorted.length && (sorted[i]?.at ?? 0) <= at; i += 1) {
    if (markEnd(sorted[i]) <= at) continue;
    if (sorted[i]?.look === "fault") return "fault";
    look = "warning";
  }
  return look;
}
