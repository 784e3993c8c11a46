import { type Reason, reasonSentences } from "#lib/vocabulary.ts";

/** Of one or more reasons, separated by commas. */
export function reasonWords(list: string): string {
  const names = list.split(",");
  const [first = ""] = names;
  if (names.length > 1) return `${names.length} reasons`;
  return Object.hasOwn(reasonSentences, first) ? reasonSentences[first as Reason] : first;
}
