import { describe, expect, test } from "vitest";
import { ConfigError, parseConfig } from "#lib/config.ts";

const key = Buffer.alloc(32, 7).toString("base64");
const databaseUrl = "postgres://posthorn:pw@db.example:5432/posthorn";

function faultsOf(env: NodeJS.Dict<string>): string {
  try {
    parseConfig(env);
  } catch (error) {
    expect(error).toBeInstanceOf(ConfigError);
    return (error as ConfigError).message;
  }
  throw new Error("was accepted");
}

test("an empty environment gives the defaults", () => {
  expect(parseConfig({})).toEqual({
    port: 3000,
    host: "127.0.0.1",
    publicUrl: undefined,
    trustedProxies: 0,
    firstAdmin: undefined,
    oidc: undefined,
    databaseUrl: undefined,
    dataDir: ".posthorn",
    databasePort: undefined,
    apiKey: undefined,
    secretKey: undefined,
    previousSecretKeys: [],
    listenUrl: undefined,
    allowedSubnets: [],
    sourceAddresses: [],
    allowHttp: false,
    smtp: undefined,
    approveHostChanges: false,
    publishPerSecond: 5_000,
    workerSlots: 128,
    logLevel: "info",
  });
});

test("an empty variable counts as absent", () => {
  expect(parseConfig({ PORT: "", DATABASE_URL: "", POSTHORN_ALLOW_HTTP: "" })).toEqual(parseConfig({}));
});

describe("accepted", () => {
  test.each([
    [{ PORT: "8080" }, { port: 8080 }],
    [{ PORT: "65535" }, { port: 65_535 }],
    [{ POSTHORN_PUBLIC_URL: "https://Posthorn.example" }, { publicUrl: "https://posthorn.example" }],
    [{ POSTHORN_PUBLIC_URL: "http://localhost:3000/" }, { publicUrl: "http://localhost:3000" }],
    [
      { DATABASE_URL: databaseUrl, POSTHORN_SECRET_KEY: key },
      { databaseUrl, secretKey: Buffer.alloc(32, 7) },
    ],
    ...["https://login.example", "http://127.0.0.1:8080"].map((issuer): [NodeJS.Dict<string>, object] => [
      {
        POSTHORN_OIDC_ISSUER: `${issuer}/`,
        POSTHORN_OIDC_CLIENT_ID: "c",
        POSTHORN_OIDC_CLIENT_SECRET: "s",
      },
      { oidc: { issuer, clientId: "c", clientSecret: "s" } },
    ]),
    [{ POSTHORN_DATABASE_PORT: "5433" }, { databasePort: 5433 }],
    [{ POSTHORN_API_KEY: "k".repeat(24) }, { apiKey: "k".repeat(24) }],
    [
      { POSTHORN_ALLOWED_SUBNETS: " 10.0.0.0/8, fd00::/8 ,," },
      { allowedSubnets: ["10.0.0.0/8", "fd00::/8"] },
    ],
    [
      { POSTHORN_SOURCE_ADDRESSES: "192.0.2.10, 2001:db8::/48" },
      { sourceAddresses: ["192.0.2.10", "2001:db8::/48"] },
    ],
    [{ POSTHORN_ALLOW_HTTP: "true" }, { allowHttp: true }],
    [{ POSTHORN_ALLOW_HTTP: "0" }, { allowHttp: false }],
    [{ POSTHORN_PUBLISH_PER_SECOND: "50" }, { publishPerSecond: 50 }],
    [{ POSTHORN_WORKER_SLOTS: "1000" }, { workerSlots: 1000 }],
    [{ POSTHORN_LOG_LEVEL: "silent" }, { logLevel: "silent" }],
  ])("%o", (env, expected) => {
    expect(parseConfig(env)).toMatchObject(expected);
  });
});

describe("refused, with the variable's name and what is allowed", () => {
  test.each([
    [{ PORT: "0" }, "PORT must be a whole number from 1 to 65535"],
    [{ PORT: "65536" }, "PORT must be a whole number from 1 to 65535"],
    [{ PORT: "3e3" }, "PORT must be a whole number"],
    [{ PORT: " 80" }, "PORT must be a whole number"],
    [{ POSTHORN_PUBLIC_URL: "posthorn.example" }, "POSTHORN_PUBLIC_URL must be an origin such as https://"],
    [{ POSTHORN_PUBLIC_URL: "https://u:p@posthorn.example" }, "POSTHORN_PUBLIC_URL must be an origin"],
    [{ POSTHORN_PUBLIC_URL: "https://posthorn.example/console" }, "POSTHORN_PUBLIC_URL must be an origin"],
    [
      { DATABASE_URL: "mysql://h/d", POSTHORN_SECRET_KEY: key },
      "DATABASE_URL must be a URL such as postgres://",
    ],
    [{ DATABASE_URL: databaseUrl }, "POSTHORN_SECRET_KEY must be set when DATABASE_URL is"],
    [{ POSTHORN_SECRET_KEY: "c2hvcnQ=" }, "POSTHORN_SECRET_KEY must be 32 bytes in base64"],
    [{ POSTHORN_SECRET_KEY: Buffer.alloc(33).toString("base64") }, "POSTHORN_SECRET_KEY must be 32 bytes"],
    [{ POSTHORN_DATABASE_PORT: "x" }, "POSTHORN_DATABASE_PORT must be a whole number from 1 to 65535"],
    [{ POSTHORN_API_KEY: "k".repeat(23) }, "POSTHORN_API_KEY must be 24 to 200 visible ASCII characters"],
    [
      { POSTHORN_API_KEY: `${"k".repeat(24)} k` },
      "POSTHORN_API_KEY must be 24 to 200 visible ASCII characters",
    ],
    [{ POSTHORN_ALLOWED_SUBNETS: "10.0.0.0/8,10.0.0.1" }, '"10.0.0.1" is no subnet'],
    [{ POSTHORN_ALLOWED_SUBNETS: "10.0.0.0/33" }, '"10.0.0.0/33" is no subnet'],
    [
      { POSTHORN_SOURCE_ADDRESSES: "192.0.2.10,posthorn.example" },
      '"posthorn.example" is neither an address nor a network',
    ],
    [{ POSTHORN_ALLOW_HTTP: "maybe" }, "POSTHORN_ALLOW_HTTP must be true or false"],
    [{ POSTHORN_PUBLISH_PER_SECOND: "0" }, "POSTHORN_PUBLISH_PER_SECOND must be a whole number from 1"],
    [{ POSTHORN_WORKER_SLOTS: "1001" }, "POSTHORN_WORKER_SLOTS must be a whole number from 1 to 1000"],
    [{ POSTHORN_LOG_LEVEL: "loud" }, "POSTHORN_LOG_LEVEL must be one of trace, debug, info"],
    [{ POSTHORN_OIDC_ISSUER: "http://login.example" }, "must begin with https://"],
    [{ POSTHORN_OIDC_ISSUER: "http://127.0.0.1.evil.example" }, "must begin with https://"],
    [{ POSTHORN_OIDC_ISSUER: "login" }, "POSTHORN_OIDC_ISSUER must be the URL"],
    [{ POSTHORN_OIDC_CLIENT_ID: "c" }, "must be set together"],
  ])("%o", (env, fault) => {
    expect(faultsOf(env)).toContain(fault);
  });

  test("every fault at once", () => {
    expect(faultsOf({ PORT: "x", POSTHORN_LOG_LEVEL: "y" }).split("\n")).toHaveLength(3);
  });

  test("without repeating what may be a secret", () => {
    const env = { DATABASE_URL: "hunter2", POSTHORN_SECRET_KEY: "hunter2", POSTHORN_API_KEY: "hunter2" };
    expect(faultsOf(env)).not.toContain("hunter2");
  });
});
