import type { FieldValues, Path, Resolver, UseFormSetError } from "react-hook-form";
import type { z } from "zod";
import { ApiError, errorWords } from "./fetcher.ts";

/** zod's issues in the words of a form, where the field's label stands beside them. */
const formMessages: z.core.$ZodErrorMap = (issue) => {
  const unit = issue.origin === "string" ? " characters" : issue.origin === "array" ? " entries" : "";
  if (issue.code === "invalid_type")
    return issue.expected === "number" ? "Enter a number." : "This is needed.";
  if (issue.code === "too_small") {
    if (issue.origin === "string" && issue.minimum === 1) return "This is needed.";
    if (issue.origin === "array") return "Choose at least one.";
    return `At least ${issue.minimum}${unit}.`;
  }
  if (issue.code === "too_big") return `At most ${issue.maximum}${unit}.`;
  return undefined;
};

/**
 * Validates by the schema that the route uses too. Schema and zod, as large as the rest of a form's page, are
 * fetched when the form is first submitted; the submission rejects with an ApiError if that fails.
 */
export function lazyResolver<In extends FieldValues, Out>(
  load: () => Promise<z.ZodType<Out, In>>,
): Resolver<In, unknown, Out> {
  return async (values, context, options) => {
    const parts = Promise.all([import("@hookform/resolvers/zod"), load()]);
    const [{ zodResolver }, schema] = await parts.catch(() => {
      throw new ApiError({ status: 0, title: "Posthorn cannot be reached, so nothing was sent" });
    });
    return zodResolver(schema, { error: formMessages })(values, context, options);
  };
}

/**
 * Puts the server's field errors beside the form's fields; `event_types.2` belongs to `event_types`.
 * Returns what to say above the form, or null when every fault found its field.
 */
export function showServerErrors<T extends FieldValues>(
  error: Error,
  { fields, setError }: { fields: Path<T>[]; setError: UseFormSetError<T> },
): string | null {
  if (!(error instanceof ApiError)) return errorWords(error);
  const homeless = error.fieldErrors.filter(({ field, message }) => {
    const home = fields.find((name) => field === name || field.startsWith(`${name}.`));
    if (home) setError(home, { type: "server", message }, { shouldFocus: true });
    return !home;
  });
  if (error.fieldErrors.length > 0 && homeless.length === 0) return null;
  const strays = homeless.map(({ field, message }) => `; ${field} ${message}`).join("");
  return `${errorWords(error, { withRequest: true })}${strays}`;
}
