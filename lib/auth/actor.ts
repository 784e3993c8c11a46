import type { ActorKind } from "#lib/vocabulary.ts";

/** Who does something: the first argument of every service verb, and the name in the audit log. */
export type Actor = { kind: ActorKind; id: string | null; name: string };

/** Whoever sits at the console. */
export const consoleActor: Actor = { kind: "console", id: null, name: "Console" };
