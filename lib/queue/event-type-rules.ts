import type { Queryable } from "#lib/db/database.ts";
import type { CatalogueField } from "#lib/delivery/catalogue.ts";
import type { InvalidDataRule } from "#lib/vocabulary.ts";

/** What the catalogue asks of the data of one type's events. */
export type EventTypeRules = {
  /** Another one after every change of the type, and after it was deleted and made again. */
  version: string;
  fields: CatalogueField[];
  invalidData: InvalidDataRule;
  isDeprecated: boolean;
};

/** The rules of those of the names that are in the catalogue, as they are now. */
export async function loadEventTypeRules(
  db: Queryable,
  names: string[],
): Promise<Map<string, EventTypeRules>> {
  const { rows } = await db.query<EventTypeRules & { name: string }>({
    name: "event_type_rules",
    text: `select name, xmin::text as version, fields, invalid_data as "invalidData",
        deprecated_at is not null as "isDeprecated"
      from posthorn.event_types where name = any($1::text[])`,
    values: [names],
  });
  return new Map(rows.map(({ name, ...rules }) => [name, rules]));
}
