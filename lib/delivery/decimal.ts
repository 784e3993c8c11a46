/** A JSON number or a plain decimal, of any size. */
const pattern = /^-?\d+(\.\d+)?([eE][+-]?\d+)?$/;

export function isDecimal(text: string): boolean {
  return pattern.test(text);
}

/**
 * Below 0, 0 or above 0 as `a` is less than, equal to or greater than `b`. Exact for any number of digits, which
 * floating point is not; both must be decimals (`isDecimal`).
 */
export function compareDecimals(a: string, b: string): number {
  const [left, right] = [parse(a), parse(b)];
  if (left.sign !== right.sign) return left.sign - right.sign;
  if (left.sign === 0) return 0;
  return left.sign < 0 ? compareMagnitudes(right, left) : compareMagnitudes(left, right);
}

/** `digits` begin and end with something else than 0, and stand for 0.digits times ten to the `exponent`. */
type Decimal = { sign: -1 | 0 | 1; digits: string; exponent: number };

function parse(text: string): Decimal {
  const negative = text.startsWith("-");
  const [mantissa = "", exponent = "0"] = text.slice(negative ? 1 : 0).split(/[eE]/);
  const [whole = "", fraction = ""] = mantissa.split(".");
  const all = whole + fraction;
  let first = 0;
  while (all[first] === "0") first++;
  let end = all.length;
  while (end > first && all[end - 1] === "0") end--;
  if (first === end) return { sign: 0, digits: "", exponent: 0 };
  return {
    sign: negative ? -1 : 1,
    digits: all.slice(first, end),
    exponent: Number(exponent) + whole.length - first,
  };
}

/** Digits compare as text does: the shorter of two that begin alike is the smaller, since none ends in 0. */
function compareMagnitudes(a: Decimal, b: Decimal): number {
  if (a.exponent !== b.exponent) return a.exponent < b.exponent ? -1 : 1;
  if (a.digits === b.digits) return 0;
  return a.digits < b.digits ? -1 : 1;
}
