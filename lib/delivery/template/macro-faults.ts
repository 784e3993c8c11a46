import type { FieldKind } from "#lib/vocabulary.ts";
import { isJsonScalar } from "./encode.ts";
import { functionsFault } from "./functions.ts";
import { builtIn, indexNames, type NameIndex, secretOf, suggestName } from "./names.ts";
import { excerpt, type MacroToken } from "./parse.ts";
import type { TemplateFault } from "./types.ts";

/** What macros may name. */
export type MacroContext = {
  fields: Map<string, { kinds: Set<FieldKind>; typeNames: Set<string> }>;
  typeNames: ReadonlySet<string>;
  index: NameIndex;
  secretNames: readonly string[] | null;
};

type MacroFault = Pick<TemplateFault, "code" | "message" | "suggestion">;

const scalarKinds: ReadonlySet<FieldKind> = new Set(["integer", "decimal", "boolean"] as const);

/** What is wrong with one macro, or null. */
export function checkMacro(macro: MacroToken, context: MacroContext): MacroFault | null {
  if (macro.name.startsWith("secret.")) return secretFault(macro, context.secretNames);
  const own = builtIn(macro.name);
  const field = context.fields.get(macro.name);
  if (!own && !field) return unknownFault(macro, context.index);
  if (!own && field && macro.fallback === null) {
    const missing = [...context.typeNames].filter((name) => !field.typeNames.has(name));
    if (missing.length > 0) return missingFault(macro, missing);
  }
  const isTime = own ? own.isOccurredAt : isOnly(field?.kinds, (kind) => kind === "timestamp");
  const wrong = functionsFault(macro.calls, isTime);
  if (wrong !== null) return syntax(wrong);
  if (macro.place === "text") return null;
  return scalarFault(macro, own ? own.isInteger : isOnly(field?.kinds, (kind) => scalarKinds.has(kind)));
}

function secretFault(macro: MacroToken, secretNames: readonly string[] | null): MacroFault | null {
  const name = secretOf(macro.name);
  if (name === null) {
    return syntax("The name of a secret has 1 to 64 letters, digits, - and _, as in {secret.token}.");
  }
  if (macro.calls.length > 0 || macro.fallback !== null) {
    return syntax("A secret takes no functions and no default.", `{secret.${name}}`);
  }
  if (macro.place === "scalar") return quotesFault(macro);
  if (secretNames === null || secretNames.includes(name)) return null;
  const near = suggestName(name, secretIndex(secretNames));
  return {
    code: "unknown_macro",
    message: `The endpoint has no secret "${name}". Add it first, or name another.`,
    suggestion: near === null ? null : `{secret.${near}}`,
  };
}

function secretIndex(names: readonly string[]): NameIndex {
  const { bySpelling } = indexNames(names);
  const own = new Set(names);
  return { names: own, bySpelling: new Map([...bySpelling].filter(([, name]) => own.has(name))) };
}

function unknownFault(macro: MacroToken, index: NameIndex): MacroFault {
  const near = suggestName(macro.name, index);
  const message = `There is no field "${excerpt(macro.name)}" in the event types of this endpoint.`;
  if (near === null) return { code: "unknown_macro", message, suggestion: null };
  const suggestion = `{${near}${macro.written.slice(1 + macro.name.length)}`;
  return { code: "unknown_macro", message: `${message} Did you mean {${near}}?`, suggestion };
}

function missingFault(macro: MacroToken, missing: readonly string[]): MacroFault {
  const some = missing.slice(0, 3).join(", ") + (missing.length > 3 ? ` and ${missing.length - 3} more` : "");
  const suggestion = `${macro.written.slice(0, -1)}|}`;
  return {
    code: "unknown_macro",
    message: `The field "${excerpt(macro.name)}" is not in ${some}. Give it a default, which may be empty: ${excerpt(suggestion)}.`,
    suggestion,
  };
}

function scalarFault(macro: MacroToken, mayStandAlone: boolean): MacroFault | null {
  if (!mayStandAlone) return quotesFault(macro);
  if (macro.calls.length > 0) {
    const message = `With functions the value is text. Put ${excerpt(macro.written)} in quotation marks.`;
    return syntax(message, `"${macro.written}"`);
  }
  if (macro.fallback === null || isJsonScalar(macro.fallback)) return null;
  return syntax(
    `Outside quotation marks the default of ${excerpt(macro.written)} must be a number, true, false or null.`,
  );
}

function quotesFault(macro: MacroToken): MacroFault {
  return syntax(
    `Only whole numbers, decimals and booleans may stand outside quotation marks. Put ${excerpt(macro.written)} in them.`,
    `"${macro.written}"`,
  );
}

function syntax(message: string, suggestion: string | null = null): MacroFault {
  return { code: "template_syntax", message, suggestion };
}

function isOnly(kinds: ReadonlySet<FieldKind> | undefined, test: (kind: FieldKind) => boolean): boolean {
  return kinds !== undefined && kinds.size > 0 && [...kinds].every(test);
}
