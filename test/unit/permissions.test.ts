import { describe, expect, test } from "vitest";
import { type Asker, can, grants, isStaff, type Verb } from "#lib/auth/permissions.ts";
import type { KeyPurpose, Role } from "#lib/vocabulary.ts";

const mine = "01890a5d-ac96-774b-bcce-b302099a8057";
const theirs = "01890a5d-ac96-774b-bcce-b302099a8058";
const user = (role: Role): Asker => ({ kind: "user", role, affiliateId: role === "affiliate" ? mine : null });
const key = (purpose: KeyPurpose, affiliateId: string | null = null): Asker => ({
  kind: "api_key",
  purpose,
  affiliateId,
});
const verbs = Object.keys(grants) as Verb[];
const may = (asker: Asker) => verbs.filter((verb) => can(asker, verb) === null);

/** What each of the staff may beyond those before them, and what an affiliate may with what is theirs. */
const support: Verb[] = [
  "affiliate.read",
  "alert.read",
  "affiliate.view_as",
  "audit.read",
  "delivery.read",
  "delivery.resend",
  "delivery.reveal",
  "deployment.read",
  "endpoint.pause",
  "endpoint.read",
  "endpoint.read_secrets",
  "endpoint.resume",
  "event.read",
  "event.reveal",
  "event_type.read",
  "requeue.read",
  "stats.read",
  "template.preview",
];
const ops: Verb[] = [
  "delivery.discard",
  "delivery.requeue",
  "endpoint.approve_change",
  "endpoint.close_breaker",
  "endpoint.edit",
  "endpoint.hold_breaker",
  "endpoint.render_waiting",
  "endpoint.reset_breaker",
  "endpoint.reveal_secret",
  "endpoint.revoke_secret",
  "endpoint.rotate_secret",
  "endpoint.test",
];
const admin: Verb[] = [
  "affiliate.create",
  "affiliate.delete",
  "affiliate.edit",
  "api_key.create",
  "api_key.read",
  "api_key.revoke",
  "endpoint.create",
  "endpoint.delete",
  "event_type.create",
  "event_type.delete",
  "event_type.edit",
  "portal_link.manage",
  "user.manage",
];
const affiliate: Verb[] = [
  "affiliate.read",
  "alert.read",
  "delivery.read",
  "delivery.resend",
  "endpoint.create",
  "endpoint.delete",
  "endpoint.edit",
  "endpoint.pause",
  "endpoint.read",
  "endpoint.read_secrets",
  "endpoint.render_waiting",
  "endpoint.resume",
  "endpoint.reveal_secret",
  "endpoint.revoke_secret",
  "endpoint.rotate_secret",
  "endpoint.test",
  "event.read",
  "event_type.read",
  "stats.read",
  "template.preview",
];

test.each<[Role, Verb[]]>([
  ["support", support],
  ["ops", [...support, ...ops]],
  ["admin", [...support, ...ops, ...admin]],
  ["affiliate", affiliate],
])("the role %s may what its table says, and nothing else", (role, allowed) => {
  expect(may(user(role)).sort()).toEqual([...allowed].sort());
});

test("no role may what one above it may not, and an admin may everything that people do", () => {
  const [lowest, middle, highest] = (["support", "ops", "admin"] as const).map((role) => may(user(role)));
  for (const [below, above] of [
    [lowest, middle],
    [middle, highest],
    [affiliate, highest],
  ])
    expect(below?.filter((verb) => !above?.includes(verb))).toEqual([]);
  expect(verbs.filter((verb) => !highest?.includes(verb))).toEqual(["event.publish"]);
});

test("a key's rights follow its purpose, and what is not for one affiliate not its limits", () => {
  expect(may(key("publish"))).toEqual(["event.publish"]);
  const forPeople = ["affiliate.view_as", "user.manage"];
  expect(verbs.filter((verb) => !may(key("manage")).includes(verb)).sort()).toEqual(forPeople);
  expect(may(key("read")).every((verb) => /\.(read|preview|read_secrets)$/.test(verb))).toBe(true);
  const all = may(key("read"));
  const limited = may(key("read", mine));
  expect(all.filter((verb) => !limited.includes(verb)).sort()).toEqual([
    "audit.read",
    "deployment.read",
    "endpoint.read_secrets",
    "requeue.read",
  ]);
});

test.each(["support", "ops", "admin"] as const)(
  "%s, viewing as an affiliate, may read what the affiliate may",
  (role) => {
    const viewer: Asker = { kind: "user", role, affiliateId: mine, viewing: { name: "Acme" } };
    const reads = affiliate.filter((verb) => /\.(read|preview|read_secrets)$/.test(verb));
    expect(may(viewer).sort()).toEqual([...reads].sort());
    expect(can(viewer, "endpoint.pause", { affiliateId: mine })).toMatch(/^You are viewing as Acme/);
    expect(can(viewer, "endpoint.read", { affiliateId: theirs })).toMatch(/another affiliate/);
    expect(isStaff(viewer)).toBe(true);
  },
);

test("nobody manages themselves, and an admin everybody else", () => {
  expect(can(user("admin"), "user.manage", { isSelf: true })).toMatch(/^Nobody changes/);
  expect(can(user("admin"), "user.manage", { isSelf: false })).toBeNull();
});

describe("whoever is limited to one affiliate", () => {
  test.each([user("affiliate"), key("read", mine)])("may nothing with what is another's: %j", (asker) => {
    for (const verb of verbs) {
      expect(can(asker, verb, { affiliateId: theirs }), verb).not.toBeNull();
      expect(can(asker, verb, { affiliateId: mine }), verb).toBe(can(asker, verb));
    }
  });

  test("may not resume what staff paused or what is gone, while staff may", () => {
    for (const resumeBar of ["staff_paused", "gone"] as const) {
      expect(can(user("affiliate"), "endpoint.resume", { affiliateId: mine, resumeBar })).toMatch(
        /^[A-Z].+: /,
      );
      expect(can(user("support"), "endpoint.resume", { affiliateId: mine, resumeBar })).toBeNull();
      expect(can(key("manage"), "endpoint.resume", { affiliateId: mine, resumeBar })).toBeNull();
      expect(can(user("affiliate"), "endpoint.pause", { affiliateId: mine, resumeBar })).toBeNull();
    }
    expect(can(user("affiliate"), "endpoint.resume", { affiliateId: mine, resumeBar: null })).toBeNull();
  });
});

test("each no is a sentence that says what would be needed", () => {
  expect(can(user("support"), "endpoint.edit")).toBe("This needs the role ops or admin; yours is support");
  expect(can(user("ops"), "endpoint.create")).toBe("This needs the role admin; yours is ops");
  expect(can(user("admin"), "event.publish")).toBe("This takes an API key");
  expect(can(user("affiliate"), "audit.read")).toBe("Only Posthorn's operators may do this");
  expect(can(key("read"), "endpoint.edit")).toBe("This key is for read; this needs one for manage");
});

test("the staff are those whose pages the console's are", () => {
  expect((["affiliate", "support", "ops", "admin"] as const).map((role) => isStaff(user(role)))).toEqual([
    false,
    true,
    true,
    true,
  ]);
  expect(isStaff(key("manage"))).toBe(false);
});
