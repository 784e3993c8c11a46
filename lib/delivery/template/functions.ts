import { md5 } from "@noble/hashes/legacy.js";
import { sha256 } from "@noble/hashes/sha2.js";
import { bytesToHex } from "@noble/hashes/utils.js";
import { isTimeZone, parseTime, writeDate, zonedWriters } from "./times.ts";

/** A function as it is written in a macro: `date`, or `map(a=1)` with its argument. */
export type FunctionCall = { name: string; argument: string | null };

/** Takes a value on; null when there is no result for it (`unmapped_value`). */
export type ValueFunction = (value: string) => string | null;

const utf8 = new TextEncoder();
/** Those that take any text, without an argument. Hashes are in lower-case hex. */
export const textFunctions = {
  lower: (value: string) => value.toLowerCase(),
  upper: (value: string) => value.toUpperCase(),
  sha256: (value: string) => bytesToHex(sha256(utf8.encode(value))),
  md5: (value: string) => bytesToHex(md5(utf8.encode(value))),
};
const textFunctionsByName: ReadonlyMap<string, ValueFunction> = new Map(Object.entries(textFunctions));
const functionNames = [...textFunctionsByName.keys(), "map", "tz", "date"];

/** The most functions that one macro may chain. */
const maxChain = 8;

/** What is wrong with a macro's functions, as a sentence, or null. `isTime`: the macro's value is a time. */
export function functionsFault(calls: readonly FunctionCall[], isTime: boolean): string | null {
  if (calls.length > maxChain) return `A macro may chain at most ${maxChain} functions.`;
  for (const [i, call] of calls.entries()) {
    const fault = callFault(call) ?? orderFault(call, calls[i - 1], isTime);
    if (fault !== null) return fault;
  }
  return null;
}

function callFault({ name, argument }: FunctionCall): string | null {
  if (!functionNames.includes(name)) {
    const wanted = functionNames.find((known) => known === name.trim().toLowerCase());
    return wanted
      ? `Functions are written in lower case: ${wanted}.`
      : `There is no function "${name.slice(0, 40)}"; there are ${functionNames.join(", ")}.`;
  }
  if (name === "map") return mapFault(argument);
  if (name === "tz") {
    return argument !== null && isTimeZone(argument)
      ? null
      : "tz needs a time zone such as tz(Europe/Malta), by its name in the IANA database.";
  }
  return argument === null ? null : `${name} takes no argument.`;
}

function mapFault(argument: string | null): string | null {
  const usage = "map needs pairs such as map(approved=1,pending=2).";
  if (argument === null || argument.trim() === "") return usage;
  const seen = new Set<string>();
  for (const pair of argument.split(",")) {
    const key = pairOf(pair)?.[0];
    if (!key) return usage;
    if (seen.has(key)) return `map names ${key.slice(0, 40)} twice.`;
    seen.add(key);
  }
  return null;
}

function orderFault(call: FunctionCall, before: FunctionCall | undefined, isTime: boolean): string | null {
  if (call.name !== "tz" && call.name !== "date") return null;
  if (!isTime)
    return `${call.name} works on times only, such as {occurred_at:${call.name === "tz" ? "tz(Europe/Malta)" : "date"}}.`;
  if (before === undefined || (call.name === "date" && before.name === "tz")) return null;
  return `${call.name} must come first${call.name === "date" ? ", or right after tz" : ""}.`;
}

/** Two texts around the first equals sign, without white space around them; null without a sign. */
function pairOf(pair: string): [string, string] | null {
  const equals = pair.indexOf("=");
  return equals === -1 ? null : [pair.slice(0, equals).trim(), pair.slice(equals + 1).trim()];
}

/**
 * The functions of a macro, each ready to be called. `tz` and `date` take the text of any time (ISO 8601).
 * Total: what functionsFault refuses has no result.
 */
export function compileFunctions(calls: readonly FunctionCall[]): ValueFunction[] {
  const [first, second] = calls;
  if (functionsFault(calls, true) !== null) return [() => null];
  if (first?.name === "tz" && first.argument !== null) {
    const writers = zonedWriters(first.argument);
    const thenDate = second?.name === "date";
    const rest = compileFunctions(calls.slice(thenDate ? 2 : 1));
    return [onTime(thenDate ? writers.date : writers.iso), ...rest];
  }
  return calls.map(compileCall);
}

function compileCall({ name, argument }: FunctionCall): ValueFunction {
  if (name === "date") return onTime(writeDate);
  if (name === "map") {
    const pairs = new Map((argument ?? "").split(",").map((pair) => pairOf(pair) ?? [pair, ""]));
    return (value) => pairs.get(value) ?? null;
  }
  return textFunctionsByName.get(name) ?? (() => null);
}

function onTime(write: (atMs: number) => string): ValueFunction {
  return (value) => {
    const atMs = parseTime(value);
    return atMs === null ? null : write(atMs);
  };
}
