import { invalidInput } from "#lib/api/issues.ts";
import { config } from "#lib/config.ts";
import type { Orm } from "#lib/db/database.ts";
import { checkFilters } from "#lib/delivery/filters.ts";
import { checkTemplate } from "#lib/delivery/template/check.ts";
import { macroNamesOf, secretNamesOf } from "#lib/delivery/template/secrets.ts";
import type {
  TemplateEventType,
  TemplateFault,
  TemplatePart,
  TemplateSource,
} from "#lib/delivery/template/types.ts";
import { type FieldError, invalidField, Problem } from "#lib/errors.ts";
import { keepFieldsOfTypes } from "#lib/event-types/queries.ts";
import { checkEndpointUrl } from "#lib/http/address-guard.ts";
import type { EndpointKind } from "#lib/vocabulary.ts";
import type { EndpointSettings } from "./queries.ts";

/** What an endpoint sends, and which events: the settings that the catalogue has a say in. */
export type EndpointContent = Pick<EndpointSettings, "url" | "postback" | "event_types" | "filters">;

/**
 * The content as it is stored: the URL normalised, a postback's as the template it is. 422 names what is wrong; a
 * template's own fault is the problem's code, with what would be right in its place.
 * `secretNames`: of the secrets that the endpoint has for its template. `orm` is the transaction that saves it.
 */
export async function checkContent(
  orm: Orm,
  content: EndpointContent,
  { kind, secretNames }: { kind: EndpointKind; secretNames: readonly string[] },
): Promise<EndpointContent> {
  const eventTypes = await keepFieldsOfTypes(orm, content.event_types);
  const faults = checkFilters(content.filters, eventTypes).map(({ filter, field, message }) => ({
    field: `filters.${filter}.${field}`,
    message,
  }));
  if (faults.length > 0) throw invalidInput(faults);
  if (kind === "webhook") return { ...content, url: sendableUrl(content.url, "url") };
  const source = templateSource(content);
  const checked = checkTemplate(source, { eventTypes, secretNames });
  if (!checked.ok) throw templateProblem(checked.faults, { url: "url", body: "postback.body" });
  const unused = unusedSecrets(checked.source, secretNames);
  if (unused.length > 0) throw invalidInput(unused);
  refuseAddress(checked.source.url, "url");
  return { ...content, url: checked.source.url };
}

/** What of the content a change of the catalogue would break, or null; for endpoints that passed checkContent before. */
export function contentFault(
  content: EndpointContent & { secretNames: readonly string[] },
  eventTypes: readonly TemplateEventType[],
): string | null {
  const filter = checkFilters(content.filters, eventTypes)[0];
  if (filter) return `its filter on ${content.filters[filter.filter]?.field} ${filter.message}`;
  if (!content.postback) return null;
  const checked = checkTemplate(templateSource(content), { eventTypes, secretNames: content.secretNames });
  return checked.ok ? null : (checked.faults[0]?.message ?? null);
}

/** The names of the event types' fields that its template and its filters use. */
export function fieldsUsedBy(content: EndpointContent): string[] {
  const used = content.filters.map(({ field }) => field);
  return content.postback ? [...used, ...macroNamesOf(templateSource(content))] : used;
}

export function templateSource({ url, postback }: Pick<EndpointContent, "url" | "postback">): TemplateSource {
  return {
    method: postback?.method ?? "GET",
    url,
    body: postback?.body ?? null,
    contentType: postback?.content_type ?? null,
  };
}

/** The first fault is the problem, the errors are all of them. `fields`: what the caller knows the two texts as. */
export function templateProblem(
  faults: readonly TemplateFault[],
  fields: Record<TemplatePart, string>,
): Problem {
  const errors = faults.map(
    ({ part, code, message, suggestion }): FieldError => ({
      field: fields[part],
      message,
      code,
      ...(suggestion === null ? {} : { suggestion }),
    }),
  );
  const [first] = faults;
  if (!first) throw new Error("a template without faults is no problem");
  return new Problem(first.code, first.message, errors.slice(0, 100), { suggestion: first.suggestion });
}

/** One that the template does not ask for is most likely one whose macro is misspelled. */
function unusedSecrets(source: TemplateSource, names: readonly string[]): FieldError[] {
  const used = secretNamesOf(source);
  return names.flatMap((name, i) =>
    used.includes(name)
      ? []
      : [{ field: `macro_secrets.${i}.name`, message: `is not used: the template has no {secret.${name}}` }],
  );
}

/** As it is stored and sent; 422 with what is wrong. */
function sendableUrl(text: string, field: string): string {
  const { allowHttp, allowedSubnets } = config();
  const check = checkEndpointUrl(text, { allowHttp, allowedSubnets });
  if (!check.ok) throw invalidField(field, check.message);
  return check.url;
}

/** A checked template's scheme and host hold no macro, so they are judged as those of any URL: 422 names `field`. */
export function refuseAddress(url: string, field: string): void {
  const pathAt = url.indexOf("/", url.indexOf("://") + 3);
  sendableUrl(pathAt === -1 ? url : url.slice(0, pathAt + 1), field);
}
