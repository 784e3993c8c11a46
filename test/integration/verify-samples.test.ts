import { execFile, execFileSync } from "node:child_process";
import { mkdirSync } from "node:fs";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import path from "node:path";
import { promisify } from "node:util";
import { Webhook } from "standardwebhooks";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { urlSample, verifySamples } from "#lib/guide/verify-samples.ts";
import { formatSigningSecret } from "#lib/secrets.ts";
import { setUpApi } from "#test/helpers/api.ts";
import { publish } from "#test/helpers/factories.ts";
import { type ReceivedRequest, type Receiver, startReceiver } from "#test/helpers/receiver.ts";
import { startWorker } from "#test/helpers/workers.ts";
import * as affiliates from "../../app/api/v1/affiliates/route.ts";
import { POST as rotateSecret } from "../../app/api/v1/endpoints/[id]/rotate-secret/route.ts";
import * as endpoints from "../../app/api/v1/endpoints/route.ts";

const api = setUpApi();
const run = promisify(execFile);
// Inside the project, so that its packages are found.
const results = path.join(import.meta.dirname, "../../test-results");

type Delivery = { headers: Record<string, string>; body: Buffer };
type Runner = {
  command: string;
  isThere: () => boolean;
  files: (code: string) => Record<string, string>;
  args: string[];
};

const has = (command: string, args: string[]) => () => {
  try {
    execFileSync(command, args, { stdio: "ignore" });
    return true;
  } catch {
    return false;
  }
};

/** Around each sample the least that hands it a delivery: its headers in headers.json, its body in body.json. */
const runners: Record<string, Runner> = {
  typescript: {
    command: process.execPath,
    isThere: () => true,
    args: ["main.ts"],
    files: (code) => ({
      "verify.ts": code,
      "main.ts": `import { readFileSync } from "node:fs";
import { verify } from "./verify.ts";
verify(readFileSync("body.json", "utf8"), JSON.parse(readFileSync("headers.json", "utf8")));`,
    }),
  },
  python: {
    command: "python3",
    isThere: has("python3", ["--version"]),
    args: ["main.py"],
    files: (code) => ({
      "verify.py": code,
      "main.py": `import json
from verify import verify
verify(open("body.json", "rb").read(), json.load(open("headers.json")))`,
    }),
  },
  php: {
    command: "php",
    isThere: has("php", ["--version"]),
    args: ["main.php"],
    files: (code) => ({
      "verify.php": code,
      "main.php": `<?php
require 'verify.php';
verify(file_get_contents('body.json'), json_decode(file_get_contents('headers.json'), true));`,
    }),
  },
  go: {
    command: "go",
    isThere: has("go", ["version"]),
    args: ["run", "verify.go", "main.go"],
    files: (code) => ({
      "verify.go": code,
      "main.go": `package main

import (
	"encoding/json"
	"net/http"
	"os"
)

func main() {
	body, _ := os.ReadFile("body.json")
	text, _ := os.ReadFile("headers.json")
	var values map[string]string
	if err := json.Unmarshal(text, &values); err != nil {
		panic(err)
	}
	headers := http.Header{}
	for name, value := range values {
		headers.Set(name, value)
	}
	if err := Verify(body, headers); err != nil {
		panic(err)
	}
}
`,
    }),
  },
  shell: {
    command: "sh",
    isThere: has("openssl", ["version"]),
    args: ["verify.sh"],
    files: (code) => ({ "verify.sh": code }),
  },
};

let receiver: Receiver;
let folder = "";
let delivery: Delivery;
let old: Delivery;
/** The newest secret, the one before it, and one of nobody. */
let secrets: { newest: string; before: string; foreign: string };

beforeAll(async () => {
  mkdirSync(results, { recursive: true });
  folder = await mkdtemp(path.join(results, "samples-"));
  receiver = await startReceiver();
  await api.call(affiliates.POST, { body: { key: "samples", name: "Samples" } });
  const made = await api.call(endpoints.POST, {
    body: { affiliate: "samples", name: "Hook", url: receiver.url("/hook") },
  });
  const rotated = await api.call(rotateSecret, { params: { id: made.body.id }, body: {} });
  secrets = {
    newest: rotated.body.secret,
    before: made.body.secret,
    foreign: formatSigningSecret(Buffer.alloc(32, 1)),
  };
  await startWorker(api.database.url);
  await publish(api.database.pool, { affiliate: "samples", data: '{"text":"é 😀","payout":"1.0"}' });
  const [request] = await receiver.waitFor("/hook", 1);
  delivery = deliveryOf(request as ReceivedRequest);
  old = signedAt(Math.floor(Date.now() / 1_000) - 3_600);
});

afterAll(async () => {
  await receiver.close();
  await rm(folder, { recursive: true, force: true });
});

/** The same delivery as it was signed then. */
function signedAt(seconds: number): Delivery {
  const id = delivery.headers["webhook-id"] as string;
  const text = delivery.body.toString();
  const headers = {
    ...delivery.headers,
    "webhook-timestamp": String(seconds),
    "webhook-signature": new Webhook(secrets.newest).sign(id, new Date(seconds * 1_000), text),
  };
  return { headers, body: delivery.body };
}

function deliveryOf(request: ReceivedRequest): Delivery {
  const pairs = request.headers.flatMap((name, place) =>
    place % 2 === 0 ? [[name.toLowerCase(), request.headers[place + 1] ?? ""]] : [],
  );
  return { headers: Object.fromEntries(pairs), body: request.body };
}

/** Whether the sample lets the delivery through. */
async function verifies(id: string, code: string, given: Delivery & { secret: string }): Promise<boolean> {
  const runner = runners[id] as Runner;
  const cwd = await mkdtemp(path.join(folder, `${id}-`));
  const files: Record<string, string | Buffer> = {
    ...runner.files(code),
    "body.json": given.body,
    "headers.json": JSON.stringify(given.headers),
  };
  for (const [name, content] of Object.entries(files)) await writeFile(path.join(cwd, name), content);
  const env = {
    ...process.env,
    GO111MODULE: "off",
    POSTHORN_SECRET: given.secret,
    WEBHOOK_ID: given.headers["webhook-id"],
    WEBHOOK_TIMESTAMP: given.headers["webhook-timestamp"],
    WEBHOOK_SIGNATURE: given.headers["webhook-signature"],
  };
  return run(runner.command, runner.args, { cwd, env, timeout: 60_000 }).then(
    () => true,
    (error: { code: unknown; stderr: string }) => {
      // A sample that does not even run refuses nothing.
      if (typeof error.code !== "number" || /syntax|not found|cannot find/i.test(error.stderr)) throw error;
      return false;
    },
  );
}

test("there is a runner for every sample", () => {
  expect(verifySamples.map(({ id }) => id)).toEqual(Object.keys(runners));
});

for (const { id, language, code } of verifySamples) {
  const { command, isThere } = runners[id] as Runner;
  describe.skipIf(!isThere())(`${language} (needs ${path.basename(command)})`, () => {
    test("takes a real delivery, under each of the secrets that are valid", async () => {
      expect(await verifies(id, code, { ...delivery, secret: secrets.newest })).toBe(true);
      expect(await verifies(id, code, { ...delivery, secret: secrets.before })).toBe(true);
    }, 120_000);

    test("refuses another secret, another body, and what is an hour old", async () => {
      expect(await verifies(id, code, { ...delivery, secret: secrets.foreign })).toBe(false);
      const body = Buffer.concat([delivery.body, Buffer.from(" ")]);
      expect(await verifies(id, code, { ...delivery, body, secret: secrets.newest })).toBe(false);
      // The shell line is for looking at requests by hand, also at old ones.
      expect(await verifies(id, code, { ...old, secret: secrets.newest })).toBe(id === "shell");
    }, 120_000);
  });
}

test("a signed postback is verified by its URL", async () => {
  const made = await api.call(endpoints.POST, {
    body: {
      affiliate: "samples",
      name: "Signed",
      kind: "postback",
      url: `${receiver.url("/signed")}?c={click_id}`,
      postback: { method: "GET", sign: true },
      event_types: ["conversion.approved"],
    },
  });
  await startWorker(api.database.url);
  await publish(api.database.pool, { affiliate: "samples", data: '{"click_id":"a&b"}' });
  const [request] = await receiver.waitFor("/signed", 1);
  const url = receiver.url((request as ReceivedRequest).path);
  const file = path.join(folder, "is-from-us.ts");
  await writeFile(file, urlSample.code);
  const { isFromUs } = (await import(file)) as { isFromUs: (url: string) => boolean };
  process.env.POSTHORN_SECRET = made.body.secret;
  expect(isFromUs(url)).toBe(true);
  expect(isFromUs(url.replace("c=a", "c=b"))).toBe(false);
  expect(isFromUs(url.replace(/&sig=.*/, ""))).toBe(false);
  process.env.POSTHORN_SECRET = secrets.foreign;
  expect(isFromUs(url)).toBe(false);
  delete process.env.POSTHORN_SECRET;
});
