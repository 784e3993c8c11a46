import type { FieldValues, Path, Resolver, UseFormSetError } from "react-hook-form";
import type { z } from "zod";
import { ApiError, errorWords } from "./fetcher.ts";
import { issueWords } from "./issue-words.ts";

/**
 * Validates by the schema that the route uses too. Schema and zod, as large as the rest of a form's page, are
 * fetched when the form is first submitted; the submission rejects with an ApiError if that fails.
 */
export function lazyResolver<In extends FieldValues, Out>(
  load: () => Promise<z.ZodType<Out, In>>,
): Resolver<In, unknown, Out> {
  return async (values, context, options) => {
    const [{ zodResolver }, schema] = await loadParts(load).catch(() => {
      throw new ApiError({ status: 0, title: "Posthorn cannot be reached, so nothing was sent" });
    });
    return zodResolver(schema, { error: issueWords })(values, context, options);
  };
}

/** The pages' policy refuses code that is made of text, which zod would try as soon as a schema is made. */
async function loadParts<T>(load: () => Promise<T>) {
  const { config } = await import("zod/v4/core");
  config({ jitless: true });
  return Promise.all([import("@hookform/resolvers/zod"), load()]);
}

/** A path of the form, with `*` for any place in a list: `headers.*.name`. */
export type FieldPattern<T extends FieldValues> = Starred<Path<T>>;
type Starred<P extends string> = P extends `${infer Before}.${number}.${infer After}`
  ? `${Before}.*.${Starred<After>}`
  : P;

/**
 * Puts the server's field errors beside the form's fields, the first that fits: `event_types.2` belongs to
 * `event_types`. Returns what to say above the form, or null when every fault found its field.
 */
export function showServerErrors<T extends FieldValues>(
  error: Error,
  { fields, setError }: { fields: readonly FieldPattern<T>[]; setError: UseFormSetError<T> },
): string | null {
  if (!(error instanceof ApiError)) return errorWords(error);
  const homeless = error.fieldErrors.filter(({ field, message }) => {
    const home = fields.map((pattern) => homeOf(field, pattern)).find((path) => path !== null);
    if (home) setError(home as Path<T>, { type: "server", message }, { shouldFocus: true });
    return !home;
  });
  if (error.fieldErrors.length > 0 && homeless.length === 0) return null;
  const strays = homeless.map(({ field, message }) => `; ${field} ${message}`).join("");
  return `${errorWords(error, { withRequest: true })}${strays}`;
}

/** The part of a field's path that a pattern covers; null when it covers none. */
function homeOf(field: string, pattern: string): string | null {
  const parts = field.split(".");
  const wanted = pattern.split(".");
  const fits = wanted.every((part, i) => (part === "*" ? /^\d+$/.test(parts[i] ?? "") : part === parts[i]));
  return fits ? parts.slice(0, wanted.length).join(".") : null;
}
