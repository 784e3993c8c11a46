/** What masking may still cost, in about as many characters read; once it is below zero, nothing more is looked at. */
export type Budget = { left: number };

/** For all that is shown of one event or delivery: a dozen answers of 64 KiB with a handful of values, and some more. */
export const maskingBudget = 300_000_000;

/** False when that is more than is left. */
export function spend(budget: Budget, characters: number): boolean {
  budget.left -= characters;
  return budget.left >= 0;
}
