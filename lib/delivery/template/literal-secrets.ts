import type { Token } from "./parse.ts";
import type { TemplateWarning, TextKind } from "./types.ts";

type LiteralSecret = Omit<TemplateWarning, "part">;

const keyWords = new Set(
  "token key secret apikey password passwd pwd auth accesstoken authtoken apitoken authkey secretkey accesskey privatekey".split(
    " ",
  ),
);

/** Literal text that looks like a token a partner asked for; a secret would keep it out of pages and logs. */
export function literalSecrets(text: string, kind: TextKind, tokens: readonly Token[]): LiteralSecret[] {
  if (kind === "json") return inJson(text);
  return tokens.flatMap((token, i) => {
    if (token.kind === "macro") return [];
    const isEnd = i === tokens.length - 1;
    const found = inParameters(token.text, { at: token.at, isEnd }).concat(
      kind === "url" ? inBotPath(token.text) : [],
    );
    return found.map((warning) => ({ ...warning, at: warning.at + token.at }));
  });
}

/** `key=value` with nothing but literal text for both. `at`: where the text stands; `isEnd`: no macro follows it. */
function inParameters(text: string, { at: from, isEnd }: { at: number; isEnd: boolean }): LiteralSecret[] {
  const found: LiteralSecret[] = [];
  const pair = /(^|[?&])([\w.-]{1,64})=([^&]+)/g;
  for (const { 1: joint, 2: key = "", 3: value = "", index, 0: whole } of text.matchAll(pair)) {
    const end = index + whole.length;
    const isWhole = (joint !== "" || from === 0) && (isEnd || end < text.length);
    if (isWhole && isSecretKey(key)) found.push(warningFor(end - value.length, value.length, key));
  }
  return found;
}

/** A bot's URL has its token in the path: `/bot123:ABC/sendMessage`. */
function inBotPath(text: string): LiteralSecret[] {
  return [...text.matchAll(/\/bot(\d{1,20}:[\w-]{1,128})(?=[/?]|$)/g)].map(({ 1: token = "", index }) =>
    warningFor(index + "/bot".length, token.length, "bot_token"),
  );
}

function inJson(text: string): LiteralSecret[] {
  const pair = /"([\w.-]{1,64})"\s{0,20}:\s{0,20}"([^"\\{}]{1,512})"/g;
  return [...text.matchAll(pair)].flatMap(({ 1: key = "", 2: value = "", index, 0: whole }) =>
    isSecretKey(key) ? [warningFor(index + whole.length - 1 - value.length, value.length, key)] : [],
  );
}

/** `auth_token`, `api-key` and `key` are, `monkey` and `keyword` are not. */
function isSecretKey(key: string): boolean {
  const words = key
    .replace(/([a-z])([A-Z])/g, "$1_$2")
    .toLowerCase()
    .split(/[_.-]/);
  return keyWords.has(words.at(-1) ?? "");
}

function warningFor(at: number, length: number, key: string): LiteralSecret {
  const name = key.toLowerCase().replace(/[^a-z0-9_-]/g, "_");
  return {
    code: "literal_secret",
    at,
    length,
    message: `The value of ${key} looks like a secret, and everybody who sees this template can read it. Keep it as a secret of the endpoint and write {secret.${name}} here.`,
    suggestion: `{secret.${name}}`,
  };
}
