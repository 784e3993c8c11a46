import { classify } from "#lib/delivery/classify.ts";

/** What becomes of a delivery that is answered so. */
export type AnswerKind = "delivered" | "retried" | "given_up";

/** Statuses with the same consequence, as short ranges: `400`, `409–412`. */
export type AnswerGroup = { kind: AnswerKind; statuses: string };

const kinds = { delivered: "delivered", transient: "retried", permanent: "given_up" } as const;

/** Every status from 200 to 599 by what follows from it, asked of the code that judges answers. */
export function answerGroups(): AnswerGroup[] {
  const statuses = Array.from({ length: 400 }, (_, index) => index + 200);
  return (["delivered", "retried", "given_up"] as const).map((kind) => ({
    kind,
    statuses: ranges(statuses.filter((status) => kinds[outcomeOf(status)] === kind)),
  }));
}

function outcomeOf(status: number): keyof typeof kinds {
  const { outcome } = classify({ status });
  return outcome;
}

function ranges(numbers: readonly number[]): string {
  const runs: [number, number][] = [];
  for (const number of numbers) {
    const last = runs.at(-1);
    if (last && last[1] === number - 1) last[1] = number;
    else runs.push([number, number]);
  }
  return runs.map(([from, to]) => (from === to ? `${from}` : `${from}–${to}`)).join(", ");
}
