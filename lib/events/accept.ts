import type pg from "pg";
import { invalidInput } from "#lib/api/issues.ts";
import { checkData } from "#lib/delivery/catalogue.ts";
import { type FieldError, Problem } from "#lib/errors.ts";
import { type EventTypeRules, loadEventTypeRules } from "#lib/queue/event-type-rules.ts";
import { type PublishItem, type PublishResult, publishEvents } from "#lib/queue/publish.ts";

/** What became of an item: a refusal, or what the database says and what its publisher is to be told besides. */
export type Accepted = Problem | { result: PublishResult; warnings: FieldError[] };

type Checked = { item: PublishItem; version: string | null; warnings: FieldError[] };

/** Of types in the catalogue alone, so that it stays small. The database says when one is out of date. */
const knownRules = new Map<string, EventTypeRules>();
const mostTries = 5;

/**
 * Holds events against their types and accepts what these allow, each by the catalogue as it is at that moment. That
 * costs no statement of its own unless the catalogue has changed or refuses something. One outcome per item, in order.
 */
export async function acceptEvents(pool: pg.Pool, given: (PublishItem | Problem)[]): Promise<Accepted[]> {
  const names = [...new Set(given.flatMap((item) => (item instanceof Problem ? [] : [item.type])))];
  const unknown = names.filter((name) => !knownRules.has(name));
  if (unknown.length > 0) await readRules(pool, unknown);
  for (let tries = 1; ; tries += 1) {
    const items = given.map((item) => (item instanceof Problem ? item : checkItem(item)));
    const isRefusing = items.some((item, place) => item instanceof Problem && item !== given[place]);
    // A refusal by rules that may be out of date is no refusal yet.
    const results = isRefusing && tries === 1 ? null : await acceptChecked(pool, items, tries < mostTries);
    if (results) return results;
    await readRules(pool, names);
  }
}

/** Null when a type has changed since. Where that goes on and on, the fan-out does the checking. */
async function acceptChecked(
  pool: pg.Pool,
  items: (Checked | Problem)[],
  byVersion: boolean,
): Promise<Accepted[] | null> {
  const sound = items.filter((item): item is Checked => !(item instanceof Problem));
  if (sound.length === 0) return items as Problem[];
  const results = await publishEvents(
    pool,
    sound.map(({ item }) => item),
    { typeVersions: byVersion ? sound.map(({ version }) => version) : null },
  );
  if (results.some(({ outcome }) => outcome === "type_changed")) return null;
  const inOrder = results.values();
  return items.map((item) =>
    item instanceof Problem
      ? item
      : { result: inOrder.next().value as PublishResult, warnings: item.warnings },
  );
}

async function readRules(pool: pg.Pool, names: string[]): Promise<void> {
  const rules = await loadEventTypeRules(pool, names);
  for (const name of names) {
    const current = rules.get(name);
    if (current) knownRules.set(name, current);
    else knownRules.delete(name);
  }
}

/** One that is not in the catalogue is left to the database to refuse. No value is repeated. */
function checkItem(item: PublishItem): Checked | Problem {
  const rules = knownRules.get(item.type);
  if (!rules) return { item, version: null, warnings: [] };
  const faults = rules.fields.length === 0 ? [] : checkData(item.data.toString("utf8"), rules.fields);
  const errors = faults.map(({ field, message }) => ({ field: `data.${field}`, message }));
  if (errors.length > 0 && rules.invalidData === "refuse") return invalidInput(errors);
  const deprecated = rules.isDeprecated ? [{ field: "type", message: "is deprecated" }] : [];
  return { item, version: rules.version, warnings: [...deprecated, ...errors] };
}
