import { checkTemplate } from "#lib/delivery/template/check.ts";
import { translateTemplate } from "#lib/delivery/template/translate.ts";
import type {
  TemplateEventType,
  TemplateFault,
  TemplatePart,
  TemplateSource,
  TemplateWarning,
} from "#lib/delivery/template/types.ts";
import type { Mark } from "./stretches.ts";

export type Finding = TemplateFault | TemplateWarning;

/** A pasted template of another tracker, in our words. */
export type Translation = {
  text: string;
  replaced: { from: string; to: string }[];
  /** Names that nobody knows; they stay faults once it is taken. */
  unknown: string[];
};

/** Of the URL, or of the body. */
export type PartFindings = { findings: Finding[]; translation: Translation | null; marks: Mark[] };

export type TemplateFindings = {
  /** The template as it is kept; null while it has faults. */
  checked: TemplateSource | null;
  url: PartFindings;
  body: PartFindings;
};

/** Everything that the checker has to say, by part. What another tracker's syntax is about is one translation. */
export function findingsOf(
  source: TemplateSource,
  { eventTypes, secretNames }: { eventTypes: readonly TemplateEventType[]; secretNames: readonly string[] },
): TemplateFindings {
  const check = checkTemplate(source, { eventTypes, secretNames });
  const all: readonly Finding[] = check.ok ? check.warnings : check.faults;
  const fieldNames = eventTypes.flatMap(({ fields }) => fields.map(({ name }) => name));
  const of = (part: TemplatePart, text: string) => partFindings(all, { part, text, fieldNames });
  return {
    checked: check.ok ? check.source : null,
    url: of("url", source.url),
    body: of("body", source.body ?? ""),
  };
}

function partFindings(
  all: readonly Finding[],
  { part, text, fieldNames }: { part: TemplatePart; text: string; fieldNames: readonly string[] },
): PartFindings {
  const own = all.filter((finding) => finding.part === part);
  const whole = own.find(isForeign);
  const offered = whole ? translateTemplate(text, fieldNames) : null;
  const translation = offered && whole?.suggestion ? { ...offered, text: whole.suggestion } : null;
  const findings = translation ? own.filter((finding) => !isForeign(finding)) : own;
  const marks = findings.map(
    ({ at, length, code }): Mark => ({ at, length, look: isWarning(code) ? "warning" : "fault" }),
  );
  for (const { from } of translation?.replaced ?? []) marks.push(...placesOf(from, text));
  return { findings, translation, marks };
}

/** Or a fragment, where it is no macro and nothing is offered for the whole text. */
function isForeign({ code }: Finding): boolean {
  return code === "foreign_syntax" || code === "html_entity" || code === "fragment";
}

export function isWarning(code: Finding["code"]): code is TemplateWarning["code"] {
  return code === "already_encoded" || code === "literal_secret";
}

function placesOf(wanted: string, text: string): Mark[] {
  const places: Mark[] = [];
  for (let at = text.indexOf(wanted); at !== -1; at = text.indexOf(wanted, at + wanted.length)) {
    places.push({ at, length: wanted.length, look: "fault" });
  }
  return places;
}

/** What the button that applies the suggestion says; null where there is none. */
export function remedyLabel({ code, suggestion, length }: Finding): string | null {
  if (suggestion === null) return null;
  if (code === "literal_secret") return `Keep it as ${suggestion}`;
  if (suggestion === "") return "Take it out";
  const short = suggestion.length > 60 ? `${suggestion.slice(0, 60)}…` : suggestion;
  return length === 0 ? `Add ${short}` : `Use ${short}`;
}
