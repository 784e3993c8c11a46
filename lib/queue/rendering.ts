import {
  type CompiledTemplate,
  compileTemplate,
  type RenderInput,
  renderTemplate,
} from "#lib/delivery/template/render.ts";
import type { TemplateSource } from "#lib/delivery/template/types.ts";
import type { Reason } from "#lib/vocabulary.ts";

/** A postback's request as it is frozen: what its template came to, secrets still as macros. */
export type FrozenRequest = TemplateSource;

/** What becomes of a postback: its request, or the state it ends in at once, and why. */
export type Rendering =
  | { request: FrozenRequest; end: null }
  | { request: null; end: { state: "skipped" | "dead_letter"; reason: Reason } };

const cacheSize = 1_000;
/** By the template's own text, so that an edit needs no invalidation. */
const compiled = new Map<string, CompiledTemplate>();

/** Renders an endpoint's template for one event; a few microseconds once its template is compiled. */
export function renderPostback(source: TemplateSource, input: RenderInput): Rendering {
  const result = renderTemplate(compiledTemplate(source), input);
  switch (result.kind) {
    case "rendered":
      return { request: { ...source, url: result.url, body: result.body }, end: null };
    case "skipped":
      return { request: null, end: { state: "skipped", reason: result.reason } };
    case "failed":
      return { request: null, end: { state: "dead_letter", reason: result.reason } };
  }
}

function compiledTemplate(source: TemplateSource): CompiledTemplate {
  const key = JSON.stringify([source.url, source.body, source.contentType]);
  const known = compiled.get(key);
  if (known) return known;
  if (compiled.size >= cacheSize) compiled.clear();
  const template = compileTemplate(source);
  compiled.set(key, template);
  return template;
}
