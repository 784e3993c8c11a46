import { isIP } from "node:net";
import ipaddr from "ipaddr.js";
import { z } from "zod";
import { passwordFault } from "./accounts/password.ts";

export const logLevels = ["trace", "debug", "info", "warn", "error", "fatal", "silent"] as const;
export type LogLevel = (typeof logLevels)[number];

const wholeNumber = (min: number, max: number) => {
  const error = `must be a whole number from ${min} to ${max}`;
  return z.string().regex(/^\d+$/, error).transform(Number).pipe(z.number().min(min, error).max(max, error));
};

const postgresUrl = z
  .string()
  .refine(isPostgresUrl, "must be a URL such as postgres://user:password@host:5432/database");

const publicUrl = z
  .string()
  .transform((text) => (/^https?:\/\//.test(text) ? URL.parse(text) : null))
  .refine(
    (url) => url !== null && url.href === `${url.origin}/`,
    "must be an origin such as https://posthorn.example",
  )
  .transform((url) => url?.origin);

const oidcIssuer = z
  .url({ protocol: /^https?$/, error: "must be the URL of an OpenID Connect issuer" })
  .refine(
    (text) => text.startsWith("https:") || /^http:\/\/(127\.0\.0\.1|localhost|\[::1\])[:/]/.test(`${text}/`),
    "must begin with https:// unless it is on this machine",
  )
  .transform((text) => text.replace(/\/$/, ""));

const secretKey = z
  .string()
  .regex(/^[A-Za-z0-9+/]{43}=$/, "must be 32 bytes in base64; `openssl rand -base64 32` makes one")
  .transform((text) => Buffer.from(text, "base64"));

const variables = z.object({
  PORT: wholeNumber(1, 65_535).default(3000),
  POSTHORN_HOST: z
    .string()
    .refine((text) => isIP(text) !== 0, "must be an IP address such as 127.0.0.1, 0.0.0.0 or ::")
    .default("127.0.0.1"),
  POSTHORN_PUBLIC_URL: publicUrl.optional(),
  POSTHORN_TRUSTED_PROXIES: wholeNumber(0, 10).default(0),
  POSTHORN_ADMIN_EMAIL: z.email("must be an e-mail address").optional(),
  POSTHORN_ADMIN_PASSWORD: z.string().optional(),
  POSTHORN_OIDC_ISSUER: oidcIssuer.optional(),
  POSTHORN_OIDC_CLIENT_ID: z.string().optional(),
  POSTHORN_OIDC_CLIENT_SECRET: z.string().optional(),
  DATABASE_URL: postgresUrl.optional(),
  POSTHORN_DATA_DIR: z.string().default(".posthorn"),
  POSTHORN_DATABASE_PORT: wholeNumber(1, 65_535).optional(),
  POSTHORN_API_KEY: z
    .string()
    .regex(/^[\x21-\x7e]{24,200}$/, "must be 24 to 200 visible ASCII characters, without spaces")
    .optional(),
  POSTHORN_SECRET_KEY: secretKey.optional(),
  POSTHORN_PREVIOUS_SECRET_KEYS: z.string().default("").transform(splitList).pipe(z.array(secretKey)),
  POSTHORN_LISTEN_URL: postgresUrl.optional(),
  POSTHORN_ALLOWED_SUBNETS: z.string().default("").transform(splitList).superRefine(checkSubnets),
  POSTHORN_SOURCE_ADDRESSES: z.string().default("").transform(splitList).superRefine(checkAddresses),
  POSTHORN_ALLOW_HTTP: z.stringbool({ error: "must be true or false" }).default(false),
  POSTHORN_SMTP_URL: z
    .string()
    .refine(
      isSmtpUrl,
      "must be a URL such as smtp://user:password@mail.example.com:587 or smtps://mail.example.com",
    )
    .optional(),
  POSTHORN_MAIL_FROM: z.email("must be an e-mail address").optional(),
  POSTHORN_APPROVE_HOST_CHANGES: z.stringbool({ error: "must be true or false" }).default(false),
  POSTHORN_PUBLISH_PER_SECOND: wholeNumber(1, 1_000_000).default(5_000),
  POSTHORN_WORKER_SLOTS: wholeNumber(1, 1000).default(128),
  POSTHORN_LOG_LEVEL: z.enum(logLevels, { error: `must be one of ${logLevels.join(", ")}` }).default("info"),
});

/** `.env.example` describes each. A database that is given by hand always comes with its secret key. */
export type Config = {
  port: number;
  /** The address that the web process listens on once there is an admin. */
  host: string;
  /** The origin under which browsers reach the console. */
  publicUrl: string | undefined;
  /** How many proxies stand before the web process and append to X-Forwarded-For. */
  trustedProxies: number;
  /** Makes the first admin, while there is none. */
  firstAdmin: { email: string; password: string } | undefined;
  /** Where staff may sign in instead of with a password. */
  oidc: { issuer: string; clientId: string; clientSecret: string } | undefined;
  dataDir: string;
  databasePort: number | undefined;
  apiKey: string | undefined;
  /** Keys that secrets may still be encrypted with; workers encrypt them anew with the current one. */
  previousSecretKeys: readonly Buffer[];
  /** For LISTEN alone, where DATABASE_URL goes through a pooler that gives each transaction a connection. */
  listenUrl: string | undefined;
  /** CIDR notation; addresses in these private networks may be delivered to. */
  allowedSubnets: readonly string[];
  /** Addresses and networks that requests come from, as affiliates are told. */
  sourceAddresses: readonly string[];
  allowHttp: boolean;
  /** By which server e-mail goes out, and in whose name; undefined: none does. */
  smtp: { url: string; from: string } | undefined;
  /** An affiliate's change of an endpoint's host waits for the operators. */
  approveHostChanges: boolean;
  /** Events that one API key may publish, by each web process. */
  publishPerSecond: number;
  /** Requests that one worker has on the wire at once. */
  workerSlots: number;
  logLevel: LogLevel;
} & ({ databaseUrl: string; secretKey: Buffer } | { databaseUrl: undefined; secretKey: Buffer | undefined });

/** Says which variables are wrong and what is allowed; never repeats a value, which may be a secret. */
export class ConfigError extends Error {
  override name = "ConfigError";

  constructor(faults: string[]) {
    super(["Posthorn cannot start. In the environment:", ...faults].join("\n"));
  }
}

/** Reads settings from `env`; an empty variable counts as absent. Throws `ConfigError` that names every fault. */
export function parseConfig(env: NodeJS.Dict<string>): Config {
  const given = Object.fromEntries(Object.entries(env).filter(([, value]) => value !== ""));
  const parsed = variables.safeParse(given);
  if (!parsed.success) {
    const faults = parsed.error.issues.map((issue) => `${issue.path.join(".")} ${issue.message}`);
    throw new ConfigError(faults);
  }
  const { DATABASE_URL, POSTHORN_SECRET_KEY, POSTHORN_HOST, POSTHORN_PUBLIC_URL } = parsed.data;
  if (!isLoopback(POSTHORN_HOST) && POSTHORN_PUBLIC_URL === undefined) {
    throw new ConfigError([
      "POSTHORN_PUBLIC_URL must be set when POSTHORN_HOST is not a loopback address: the console answers under " +
        "that origin and this machine's own names only",
    ]);
  }
  return {
    port: parsed.data.PORT,
    host: parsed.data.POSTHORN_HOST,
    publicUrl: parsed.data.POSTHORN_PUBLIC_URL,
    trustedProxies: parsed.data.POSTHORN_TRUSTED_PROXIES,
    firstAdmin: firstAdmin(parsed.data),
    oidc: oidcClient(parsed.data),
    dataDir: parsed.data.POSTHORN_DATA_DIR,
    databasePort: parsed.data.POSTHORN_DATABASE_PORT,
    apiKey: parsed.data.POSTHORN_API_KEY,
    previousSecretKeys: parsed.data.POSTHORN_PREVIOUS_SECRET_KEYS,
    listenUrl: parsed.data.POSTHORN_LISTEN_URL,
    allowedSubnets: parsed.data.POSTHORN_ALLOWED_SUBNETS,
    sourceAddresses: parsed.data.POSTHORN_SOURCE_ADDRESSES,
    allowHttp: parsed.data.POSTHORN_ALLOW_HTTP,
    smtp: smtpOf(parsed.data),
    approveHostChanges: parsed.data.POSTHORN_APPROVE_HOST_CHANGES,
    publishPerSecond: parsed.data.POSTHORN_PUBLISH_PER_SECOND,
    workerSlots: parsed.data.POSTHORN_WORKER_SLOTS,
    logLevel: parsed.data.POSTHORN_LOG_LEVEL,
    ...databaseAndKey(DATABASE_URL, POSTHORN_SECRET_KEY),
  };
}

let memoised: Config | undefined;

/** The settings of this process, read at first use. Throws as `parseConfig` does. */
export function config(): Config {
  memoised ??= parseConfig(process.env);
  return memoised;
}

/** What secrets are encrypted with, and what may still decrypt them: the current key, then those before it. */
export function secretKeys(): [Buffer, ...Buffer[]] {
  const { secretKey: current, previousSecretKeys } = config();
  if (!current) throw new Error("POSTHORN_SECRET_KEY is not set");
  return [current, ...previousSecretKeys];
}

/** Where the console is reached, for links that lead to it; loopback where nobody has said. */
export function consoleOrigin(): string {
  const { publicUrl, port } = config();
  return publicUrl ?? `http://127.0.0.1:${port}`;
}

/** `config` for the main module of a program: faults are printed, without a stack, and end it. */
export function configOrExit(): Config {
  try {
    return config();
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    process.stderr.write(`${error.message}\n`);
    process.exit(1);
  }
}

function databaseAndKey(databaseUrl: string | undefined, secretKey: Buffer | undefined) {
  if (databaseUrl === undefined) return { databaseUrl, secretKey };
  if (secretKey !== undefined) return { databaseUrl, secretKey };
  throw new ConfigError([
    "POSTHORN_SECRET_KEY must be set when DATABASE_URL is: 32 bytes in base64, the same for every process " +
      "on that database; `openssl rand -base64 32` makes one",
  ]);
}

function firstAdmin(given: {
  POSTHORN_ADMIN_EMAIL?: string | undefined;
  POSTHORN_ADMIN_PASSWORD?: string | undefined;
}): Config["firstAdmin"] {
  const { POSTHORN_ADMIN_EMAIL: email, POSTHORN_ADMIN_PASSWORD: password } = given;
  if (email === undefined && password === undefined) return undefined;
  if (email === undefined || password === undefined)
    throw new ConfigError(["POSTHORN_ADMIN_EMAIL and POSTHORN_ADMIN_PASSWORD must be set together"]);
  const fault = passwordFault(password, { email });
  if (fault !== null) throw new ConfigError([`POSTHORN_ADMIN_PASSWORD ${fault}`]);
  return { email: email.toLowerCase(), password };
}

function oidcClient(given: {
  POSTHORN_OIDC_ISSUER?: string | undefined;
  POSTHORN_OIDC_CLIENT_ID?: string | undefined;
  POSTHORN_OIDC_CLIENT_SECRET?: string | undefined;
}): Config["oidc"] {
  const {
    POSTHORN_OIDC_ISSUER: issuer,
    POSTHORN_OIDC_CLIENT_ID: clientId,
    POSTHORN_OIDC_CLIENT_SECRET: clientSecret,
  } = given;
  if (issuer === undefined && clientId === undefined && clientSecret === undefined) return undefined;
  if (issuer === undefined || clientId === undefined || clientSecret === undefined)
    throw new ConfigError([
      "POSTHORN_OIDC_ISSUER, POSTHORN_OIDC_CLIENT_ID and POSTHORN_OIDC_CLIENT_SECRET must be set together",
    ]);
  return { issuer, clientId, clientSecret };
}

function smtpOf(given: {
  POSTHORN_SMTP_URL?: string | undefined;
  POSTHORN_MAIL_FROM?: string | undefined;
}): Config["smtp"] {
  const { POSTHORN_SMTP_URL: url, POSTHORN_MAIL_FROM: from } = given;
  if (url === undefined && from === undefined) return undefined;
  if (url === undefined || from === undefined)
    throw new ConfigError(["POSTHORN_SMTP_URL and POSTHORN_MAIL_FROM must be set together"]);
  return { url, from };
}

/** Whether only this machine itself can reach what listens on the address. */
function isLoopback(address: string): boolean {
  return ipaddr.parse(address).range() === "loopback";
}

function isPostgresUrl(text: string): boolean {
  return /^postgres(ql)?:\/\//.test(text) && URL.canParse(text);
}

function isSmtpUrl(text: string): boolean {
  const url = /^smtps?:\/\//.test(text) ? URL.parse(text) : null;
  return (
    url !== null && url.hostname !== "" && ["", "/"].includes(url.pathname) && url.search + url.hash === ""
  );
}

function splitList(text: string): string[] {
  return text
    .split(",")
    .map((item) => item.trim())
    .filter((item) => item !== "");
}

function checkAddresses(addresses: string[], context: z.RefinementCtx<string[]>): void {
  const wrong = addresses.find((address) => isIP(address) === 0 && !ipaddr.isValidCIDR(address));
  if (wrong === undefined) return;
  const message = `must be a comma separated list such as 192.0.2.10,2001:db8::/48; "${wrong}" is neither an address nor a network`;
  context.addIssue({ code: "custom", message });
}

function checkSubnets(subnets: string[], context: z.RefinementCtx<string[]>): void {
  const wrong = subnets.find((subnet) => !ipaddr.isValidCIDR(subnet));
  if (wrong === undefined) return;
  const message = `must be a comma separated list such as 10.0.0.0/8,fd00::/8; "${wrong}" is no subnet`;
  context.addIssue({ code: "custom", message });
}
