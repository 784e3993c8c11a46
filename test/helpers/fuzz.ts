/** Choices that the same seed repeats. */
export type Chance = {
  /** 0 to below `n`. */
  below: (n: number) => number;
  /** True once in `n` times. */
  oneIn: (n: number) => boolean;
  pick: <T>(list: readonly T[]) => T;
};

/** mulberry32: small, and good enough to choose by. */
export function createChance(seed: number): Chance {
  let state = seed >>> 0;
  const next = () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  const below = (n: number) => Math.floor(next() * n);
  return {
    below,
    oneIn: (n) => below(n) === 0,
    pick: (list) => {
      if (list.length === 0) throw new Error("nothing to pick from");
      return list[below(list.length)] as (typeof list)[number];
    },
  };
}

/** Texts that have been trouble somewhere. No URL among them leads away from this machine. */
export const awkwardTexts: readonly string[] = [
  "",
  " ",
  "\0",
  "a\0b",
  "\ud800",
  "\udfff\ud800",
  "\u202e\u0000\ufeff",
  "💥".repeat(200),
  "x".repeat(300),
  "x".repeat(9_000),
  "' or 1=1 --",
  "'; drop schema posthorn; --",
  "%",
  "%00",
  "%ff%fe",
  "_%\\",
  "../../etc/passwd",
  "__proto__",
  "constructor",
  "toString",
  "null",
  "NaN",
  "-1",
  "0",
  "1e3",
  "0x10",
  "1.5",
  "9223372036854775807",
  "9223372036854775808",
  "999999999999999999",
  "99999999999999999999999999",
  "2026-02-30T25:61:61Z",
  "-271821-04-20T00:00:00Z",
  "+275760-09-13T00:00:00.001Z",
  "0000-01-01T00:00:00Z",
  "infinity",
  "00000000-0000-0000-0000-000000000000",
  "FFFFFFFF-FFFF-7FFF-BFFF-FFFFFFFFFFFF",
  "{",
  "{}}",
  "{click_id",
  "{secret.nothing}",
  "{click_id:map(a=1,b=2)|{x}}",
  "{timestamp:tz(Nowhere/Else)}",
  "http://127.0.0.1:1/{click_id}?a={sub1|x}",
  "http://[::1",
  "http://[::ffff:7f00:1]/",
  "http://127.0.0.1:99999/",
  "javascript:alert(1)",
  "<img src=x onerror=alert(1)>",
  "a\r\nb: c",
  "whsec_",
  "whsec_!!!!",
];

const awkwardNumbers = [0, -0, -1, 1, 0.1, 1e-7, 2 ** 31, 2 ** 53, -(2 ** 63), 1e21, 1e308];

export function awkwardValue(chance: Chance, depth = 2): unknown {
  const kind = chance.below(depth > 0 ? 8 : 5);
  if (kind <= 1) return chance.pick(awkwardTexts);
  if (kind === 2) return chance.pick(awkwardNumbers);
  if (kind === 3) return null;
  if (kind === 4) return false;
  const parts = Array.from({ length: chance.below(4) }, () => awkwardValue(chance, depth - 1));
  return kind === 5 ? parts : Object.fromEntries(parts.map((part) => [chance.pick(awkwardTexts), part]));
}

/** The value with something in it replaced, taken away, repeated or added. */
export function mutate(value: unknown, chance: Chance): unknown {
  if (typeof value !== "object" || value === null || chance.oneIn(12)) {
    if (typeof value === "number" && chance.oneIn(2)) return value + chance.pick([1, -1, 0.5, 1e6]);
    if (typeof value === "string" && chance.oneIn(2)) return mutateText(value, chance);
    return awkwardValue(chance);
  }
  if (Array.isArray(value)) {
    if (value.length === 0 || chance.oneIn(6)) return [...value, awkwardValue(chance)];
    const at = chance.below(value.length);
    if (chance.oneIn(6)) return [...value, value[at]];
    return value.map((item, place) => (place === at ? mutate(item, chance) : item));
  }
  const members = Object.entries(value);
  if (members.length === 0 || chance.oneIn(8))
    return { ...value, [chance.pick(awkwardTexts)]: awkwardValue(chance) };
  const [name, old] = chance.pick(members);
  if (chance.oneIn(5)) return Object.fromEntries(members.filter(([other]) => other !== name));
  return { ...value, [name]: mutate(old, chance) };
}

/** The text with a stretch of it cut out, doubled, or exchanged for something awkward. */
export function mutateText(text: string, chance: Chance): string {
  const from = chance.below(text.length + 1);
  const to = from + chance.below(Math.min(8, text.length - from) + 1);
  const middle = chance.pick(["", text.slice(from, to).repeat(2), chance.pick(awkwardTexts)]);
  return text.slice(0, from) + middle + text.slice(to);
}
