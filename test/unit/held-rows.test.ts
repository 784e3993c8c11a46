import { expect, it } from "vitest";
import { holdRows } from "#components/data-table/held-rows.ts";

type Row = { id: string; state: string };
const row = (id: string, state = "pending"): Row => ({ id, state });
const keyOf = ({ id }: Row) => id;

it("patches known rows where they stand and only counts new ones", () => {
  const held = holdRows([row("2"), row("1")], [row("4"), row("3"), row("2", "delivered")], keyOf);
  expect(held.rows).toEqual([row("2", "delivered"), row("1")]);
  expect(held.waiting).toBe(2);
});

it("keeps a row that has left the page until the reader moves on", () => {
  expect(holdRows([row("1")], [], keyOf)).toEqual({ rows: [row("1")], waiting: 0 });
});
