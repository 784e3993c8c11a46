import type { StatusClass } from "#lib/vocabulary.ts";

/** SQL: whether a status, which is null where nothing was answered, lies in this hundred. */
export function inStatusClass(status: string, statusClass: StatusClass): string {
  if (statusClass === "none") return `${status} is null`;
  const from = Number(statusClass[0]) * 100;
  return `${status} between ${from} and ${from + 99}`;
}
