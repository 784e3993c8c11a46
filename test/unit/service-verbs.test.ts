import { globSync, readFileSync } from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { grants } from "#lib/auth/permissions.ts";

/** What is no verb: parts of verbs, within their transactions, and what anybody does with their own account. */
const others = new Set([
  "api-keys: recordRevocation",
  "endpoint-secrets: addSecret",
  "portal-links: enterPortal",
  "notices: getNoticeSettings",
  "notices: editNoticeSettings",
  "notices: replaceNoticeSecret",
  "accounts: signIn",
  "accounts: canSetUp",
  "accounts: isSetUp",
  "accounts: setUpFirstAdmin",
  "accounts: editAccount",
  "accounts: changePassword",
  "accounts: listSessions",
  "accounts: signOut",
  "accounts: signOutEverywhere",
  "invitations: lookAtInvitation",
  "invitations: acceptInvitation",
  "password-links: lookAtPasswordLink",
  "password-links: usePasswordLink",
  "password-links: askForPasswordLink",
  "view-as: stopViewing",
]);

const lib = path.join(import.meta.dirname, "../../lib");
const services = globSync("*/service.ts", { cwd: lib }).map((file) => ({
  folder: path.dirname(file),
  text: readFileSync(path.join(lib, file), "utf8"),
}));
const exported = services.flatMap(({ folder, text }) =>
  text
    .split(/^(?=export async function )/m)
    .slice(1)
    .map((part) => ({ name: `${folder}: ${/function (\w+)/.exec(part)?.[1]}`, part })),
);
const verbs = exported.filter(({ name }) => !others.has(name));

test("the services are found, and so is every exception", () => {
  expect(verbs.length).toBeGreaterThan(35);
  expect([...others].filter((name) => !exported.some((one) => one.name === name))).toEqual([]);
});

/** They ask the database nothing: words, and the account of the session that was found. */
const atOnce = [
  "accounts: getAccount",
  "invitations: invitationEndWords",
  "password-links: passwordLinkEndWords",
];

test("no verb is written in a form that would be passed over here", () => {
  const passedOver = services.flatMap(({ folder, text }) =>
    [...text.matchAll(/^export (?!async function \w|type )(?:\w+ )?(.*)$/gm)].map(
      ([, rest = ""]) => `${folder}: ${/^\w+/.exec(rest)?.[0] ?? rest}`,
    ),
  );
  expect(passedOver.sort()).toEqual(atOnce);
});

test.each(verbs)("$name takes the actor first, and begins with whether they may", ({ part }) => {
  const [, parameters, first] =
    /^export async function \w+\(\s*([\s\S]*?)\): Promise<[^\n]* \{\n([^\n]*)\n/.exec(part) ?? [];
  expect(parameters).toMatch(/^actor: (Session)?Actor\b/);
  const verb = /^ {2}authorize\(actor, "([a-z_.]+)"\);$/.exec(first ?? "")?.[1];
  expect(Object.keys(grants)).toContain(verb);
});
