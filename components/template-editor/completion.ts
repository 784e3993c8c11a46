import { indexNames, translateName } from "#lib/delivery/template/names.ts";
import type { TextKind } from "#lib/delivery/template/types.ts";
import type { MacroOption } from "./macros.ts";

/** What could stand where somebody is typing a macro: `length` characters at `at` make way for the one chosen. */
export type Completion = { at: number; length: number; options: MacroOption[] };

const begun = /\{([A-Za-z0-9_.-]{0,64})$/;
const restOfName = /[A-Za-z0-9_.-]{0,64}/y;

/**
 * The macros that fit what stands between the last brace and the caret; null where none is being typed. In JSON a bare
 * brace is JSON's own, so that there a letter or an opening quotation mark has to say that a macro is meant.
 */
export function completionAt(
  text: string,
  caret: number,
  { macros, kind }: { macros: readonly MacroOption[]; kind: TextKind },
): Completion | null {
  const match = begun.exec(text.slice(Math.max(0, caret - 65), caret));
  if (!match) return null;
  const word = match[1] ?? "";
  const at = caret - match[0].length;
  if (text[at - 1] === "{") return null;
  if (kind === "json" && word === "" && text[at - 1] !== '"') return null;
  const options = matching(word.toLowerCase(), macros);
  if (options.length === 0) return null;
  restOfName.lastIndex = caret;
  const nameEnd = caret + (restOfName.exec(text)?.[0].length ?? 0);
  const end = text[nameEnd] === "}" ? nameEnd + 1 : nameEnd;
  const isWhole = options.length === 1 && text.slice(at, end) === `{${options[0]?.name}}`;
  return isWhole ? null : { at, length: end - at, options };
}

/** The macro as it is written there: functions and a default that stand behind the name stay. */
export function completedText(text: string, { at, length }: Completion, name: string): string {
  const next = text[at + length];
  return next === ":" || next === "|" ? `{${name}` : `{${name}}`;
}

/** Those that begin with the word first; another tracker's word finds ours. */
function matching(word: string, macros: readonly MacroOption[]): MacroOption[] {
  if (word === "") return [...macros];
  const translated = translateName(word, indexNames(macros.map(({ name }) => name)));
  const rank = ({ name }: MacroOption) =>
    name.startsWith(word) ? 0 : name === translated ? 1 : name.includes(word) ? 2 : 3;
  return macros.filter((macro) => rank(macro) < 3).sort((a, b) => rank(a) - rank(b));
}
