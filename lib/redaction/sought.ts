import { textFunctions } from "#lib/delivery/template/functions.ts";
import { type Budget, spend } from "./budget.ts";

const { lower, upper, sha256, md5 } = textFunctions;
/** Six hashes of each text, each some eight times the work of reading it. */
const hashingCost = 48;

/** What is looked for: values, and what the functions of templates make of them, one after another. */
export type Sought = {
  texts: readonly string[];
  hashes: (budget: Budget) => Hashes;
};

/** SHA-256 and MD5 of the texts, and of those hashes, in lower case; not 0 at the number that the first four digits are. */
type Hashes = { all: ReadonlySet<string>; beginnings: Uint8Array };

/** Hashes are made when first asked for: few texts hold any, and a value may have 1 MiB. */
export function soughtOf(values: readonly string[]): Sought {
  // Encoding makes values well-formed. What has another case may have a third: "ß" is "SS", which is "ss".
  const texts = casesOf(casesOf(values.flatMap((value) => [value, value.toWellFormed()])));
  let hashes: Hashes | null = null;
  return {
    texts: [...texts],
    hashes: (budget) => {
      hashes ??= makeHashes(texts, budget);
      return hashes;
    },
  };
}

/** None past the budget. */
function makeHashes(texts: ReadonlySet<string>, budget: Budget): Hashes {
  const beginnings = new Uint8Array(0x1_0000);
  const length = [...texts].reduce((sum, text) => sum + text.length, 0);
  if (!spend(budget, length * hashingCost)) return { all: new Set(), beginnings };
  const first = hashesOf(texts);
  const all = new Set([...first, ...hashesOf(casesOf(first))]);
  for (const hash of all) beginnings[Number.parseInt(hash.slice(0, 4), 16)] = 1;
  return { all, beginnings };
}

function casesOf(texts: Iterable<string>): Set<string> {
  return new Set([...texts].flatMap((text) => [text, lower(text), upper(text)]));
}

function hashesOf(texts: Iterable<string>): Set<string> {
  return new Set([...texts].flatMap((text) => [sha256(text), md5(text)]));
}
