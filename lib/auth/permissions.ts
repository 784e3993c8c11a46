import { Problem } from "#lib/errors.ts";
import {
  type KeyPurpose,
  type ResumeBar,
  type Role,
  resumeBarSentences,
  roleLabels,
} from "#lib/vocabulary.ts";

/** What the decision needs to know of who asks; every `Actor` is one, and so is what a page knows of its reader. */
export type Asker = { affiliateId: string | null } & (
  | {
      kind: "user";
      role: Role;
      /** One of the staff looks at the portal as this affiliate, which `affiliateId` is then, and changes nothing. */
      viewing?: { name: string } | null;
      /** Came by a portal link, and has neither an account nor a password. */
      viaLink?: boolean;
    }
  | { kind: "api_key"; purpose: KeyPurpose }
);

/** What the decision needs to know of a thing; what is left out is not asked about. */
export type Resource = {
  affiliateId?: string;
  resumeBar?: ResumeBar | null;
  /** The user who is managed is the one who asks. */
  isSelf?: boolean;
};

type StaffRole = Exclude<Role, "affiliate">;

/**
 * Who may: staff from this role on, or none; whether an affiliate's user may, for what is their own; and what an API key
 * must be for. `read_all`: it concerns the deployment, or its secrets, and is not for a key limited to one affiliate. `none`: it is for people.
 */
type Grant = {
  staff: StaffRole | null;
  affiliate: boolean;
  key: "publish" | "read" | "read_all" | "manage" | "none";
};

const everybody: Grant = { staff: "support", affiliate: true, key: "read" };
const staffReads: Grant = { staff: "support", affiliate: false, key: "read_all" };
const support: Grant = { staff: "support", affiliate: false, key: "manage" };
const supportAndOwner: Grant = { ...support, affiliate: true };
const ops: Grant = { staff: "ops", affiliate: false, key: "manage" };
const opsAndOwner: Grant = { ...ops, affiliate: true };
const admin: Grant = { staff: "admin", affiliate: false, key: "manage" };
const adminAndOwner: Grant = { ...admin, affiliate: true };

/** The one table of rights (docs/accounts.md says why); product.md, "Who uses it". */
export const grants = {
  "affiliate.read": everybody,
  "affiliate.create": admin,
  "affiliate.edit": admin,
  "affiliate.delete": admin,
  "affiliate.view_as": { ...support, key: "none" },
  "alert.read": everybody,
  "api_key.read": admin,
  "api_key.create": admin,
  "api_key.revoke": admin,
  "audit.read": staffReads,
  "delivery.read": everybody,
  "delivery.resend": supportAndOwner,
  "delivery.reveal": support,
  "delivery.requeue": ops,
  "delivery.discard": ops,
  "deployment.read": staffReads,
  "endpoint.read": everybody,
  "endpoint.approve_change": ops,
  "endpoint.create": adminAndOwner,
  "endpoint.edit": opsAndOwner,
  "endpoint.delete": adminAndOwner,
  "endpoint.pause": supportAndOwner,
  "endpoint.resume": supportAndOwner,
  "endpoint.test": opsAndOwner,
  "endpoint.render_waiting": opsAndOwner,
  "endpoint.hold_breaker": ops,
  "endpoint.reset_breaker": ops,
  "endpoint.close_breaker": ops,
  "endpoint.read_secrets": { staff: "support", affiliate: true, key: "read_all" },
  "endpoint.rotate_secret": opsAndOwner,
  "endpoint.revoke_secret": opsAndOwner,
  "endpoint.reveal_secret": opsAndOwner,
  "event.publish": { staff: null, affiliate: false, key: "publish" },
  "event.read": everybody,
  "event.reveal": support,
  "event_type.read": everybody,
  "event_type.create": admin,
  "event_type.edit": admin,
  "event_type.delete": admin,
  "portal_link.manage": admin,
  "requeue.read": staffReads,
  "stats.read": everybody,
  "template.preview": everybody,
  "user.manage": { ...admin, key: "none" },
} as const satisfies Record<string, Grant>;
export type Verb = keyof typeof grants;

const purposesFor = {
  publish: ["publish", "manage"],
  read: ["read", "manage"],
  read_all: ["read", "manage"],
  manage: ["manage"],
  none: [],
} as const satisfies Record<Grant["key"], readonly KeyPurpose[]>;

const staffRoles: readonly StaffRole[] = ["support", "ops", "admin"];

/** Null when they may; else why not, in words for whoever asks. Pure: services and buttons ask the same. */
export function can(asker: Asker, verb: Verb, resource: Resource = {}): string | null {
  const grant: Grant = grants[verb];
  const refusal = asker.kind === "user" ? userRefusal(asker, grant) : keyRefusal(asker, grant);
  if (refusal !== null) return refusal;
  const isOthers = resource.affiliateId !== undefined && resource.affiliateId !== asker.affiliateId;
  if (asker.affiliateId !== null && isOthers) return "It belongs to another affiliate";
  if (verb === "user.manage" && resource.isSelf) return "Nobody changes their own role or access";
  if (verb === "endpoint.reveal_secret" && asker.kind === "user" && asker.viaLink)
    return "It takes a password, and a portal link has none: sign in with an account";
  if (verb === "endpoint.resume" && isAffiliate(asker) && resource.resumeBar)
    return resumeBarSentences[resource.resumeBar];
  return null;
}

/** Throws a 403 with the reason unless they may. */
export function authorize(asker: Asker, verb: Verb, resource?: Resource): void {
  const refusal = can(asker, verb, resource);
  if (refusal !== null) throw new Problem("forbidden", refusal);
}

/** Whether they are of the staff: values are masked for them, and pages of the console are theirs. */
export function isStaff(asker: Asker): boolean {
  return asker.kind === "user" && asker.role !== "affiliate";
}

/** Whether they are a user of one of the affiliates. */
export function isAffiliate(asker: Asker): boolean {
  return asker.kind === "user" && asker.role === "affiliate";
}

function userRefusal(
  { role, viewing }: { role: Role; viewing?: { name: string } | null },
  grant: Grant,
): string | null {
  const { staff, affiliate } = grant;
  if (viewing) {
    const isShown = affiliate && (grant.key === "read" || grant.key === "read_all");
    return isShown ? null : `You are viewing as ${viewing.name}, which is for reading; stop viewing first`;
  }
  if (role === "affiliate") return affiliate ? null : "Only Posthorn's operators may do this";
  if (staff === null) return "This takes an API key";
  if (staffRoles.indexOf(role) >= staffRoles.indexOf(staff)) return null;
  const needed = staffRoles.slice(staffRoles.indexOf(staff)).map((one) => roleLabels[one].toLowerCase());
  return `This needs the role ${needed.join(" or ")}; yours is ${roleLabels[role].toLowerCase()}`;
}

function keyRefusal(
  { purpose, affiliateId }: { purpose: KeyPurpose; affiliateId: string | null },
  { key }: Grant,
): string | null {
  if (key === "none") return "This takes somebody who is signed in";
  const purposes: readonly KeyPurpose[] = purposesFor[key];
  const needed = `this needs one for ${purposes.join(" or ")}`;
  if (!purposes.includes(purpose)) return `This key is for ${purpose}; ${needed}`;
  if (key === "read_all" && affiliateId !== null)
    return `This key is limited to one affiliate; ${needed} without that limit`;
  return null;
}
