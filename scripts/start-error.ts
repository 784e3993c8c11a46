/** Something the person at the terminal can mend: shown as its message alone, without a stack. */
export class StartError extends Error {
  override name = "StartError";
}

export function errorCode(error: unknown): string | undefined {
  return (error as NodeJS.ErrnoException | undefined)?.code;
}
