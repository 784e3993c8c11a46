import { readFile, rename, writeFile } from "node:fs/promises";
import { errorCode } from "./start-error.ts";

/** What `writeSecret` kept in the file, if anything. */
export async function readSecret(file: string): Promise<string | undefined> {
  const text = await readFile(file, "utf8").catch((error) => {
    if (errorCode(error) !== "ENOENT") throw error;
    return "";
  });
  return text.trim() || undefined;
}

/** For the owner's eyes only; whole or absent, whatever happens meanwhile. */
export async function writeSecret(file: string, value: string): Promise<void> {
  const draft = `${file}.new`;
  await writeFile(draft, `${value}\n`, { mode: 0o600, flush: true });
  await rename(draft, file);
}
