import { existsSync, globSync, readFileSync } from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";

const root = path.join(import.meta.dirname, "..", "..");

/** What a module loads as it is evaluated: no types, and nothing that is fetched when it is asked for. */
function loads(file: string): string[] {
  const text = readFileSync(path.join(root, file), "utf8");
  const statements = text.matchAll(/^(?:import|export)\s(?!type\s)(?:[^;"]*?\sfrom\s)?"([^"]+)";/gm);
  return [...statements].map(([, from = ""]) => {
    if (from.startsWith("#")) return from.slice(1);
    return from.startsWith(".") ? path.posix.join(path.posix.dirname(file), from) : from;
  });
}

/** The ways from a module to the package, each as the modules on it. */
function waysTo(wanted: string, from: string, seen = new Set<string>()): string[][] {
  if (from === wanted) return [[from]];
  if (seen.has(from) || !existsSync(path.join(root, from))) return [];
  seen.add(from);
  return loads(from).flatMap((next) => waysTo(wanted, next, seen).map((way) => [from, ...way]));
}

// As large as the rest of a page, and it tries to make code out of text, which the pages' policy refuses
// (lib/api/forms.ts); so it comes with the first form that is submitted.
test("no module of the browser loads zod by itself", () => {
  const modules = globSync("{app,components}/**/*.{ts,tsx}", { cwd: root }).filter((file) =>
    readFileSync(path.join(root, file), "utf8").startsWith('"use client"'),
  );
  expect(modules.length).toBeGreaterThan(50);
  expect(modules.flatMap((module) => waysTo("zod", module))).toEqual([]);
});
