import { withQuery } from "#lib/api/fetcher.ts";
import type { AuditEntry } from "./schema.ts";

/** One value that an entry tells of; null where there was none, or is none any more. */
export type AuditChange = { field: string; before: string | null; after: string | null };

/**
 * What an entry changed, value by value: a setting of several parts is named by its path, such as `retry.max_attempts`,
 * and parts that stayed the same are left out. Lists are compared as a whole, and null is no value.
 */
export function auditChanges({ before, after }: Pick<AuditEntry, "before" | "after">): AuditChange[] {
  const [old, now] = [leavesOf(before), leavesOf(after)];
  return [...new Set([...old.keys(), ...now.keys()])]
    .map((field) => ({ field, before: old.get(field) ?? null, after: now.get(field) ?? null }))
    .filter((change) => change.before !== change.after);
}

function leavesOf(value: unknown, path = ""): Map<string, string> {
  if (value === null || value === undefined) return new Map();
  if (typeof value !== "object" || Array.isArray(value)) return new Map([[path, leafText(value)]]);
  return new Map(
    Object.entries(value).flatMap(([name, part]) => [
      ...leavesOf(part, path === "" ? name : `${path}.${name}`),
    ]),
  );
}

function leafText(value: unknown): string {
  if (!Array.isArray(value)) return typeof value === "string" ? value : JSON.stringify(value);
  if (value.length === 0) return "none";
  return value.map((part) => (typeof part === "string" ? part : JSON.stringify(part))).join("\n");
}

const fieldsNamed = 2;

/** `name, timeout_ms and 3 more`. */
export function changedFieldsWords(changes: readonly AuditChange[]): string {
  const named = changes.slice(0, fieldsNamed).map(({ field }) => field);
  const others = changes.length - named.length;
  return others > 0 ? `${named.join(", ")} and ${others} more` : named.join(", ");
}

/** The page of what an entry is about. */
export function auditObjectHref({ object, affiliate }: Pick<AuditEntry, "object" | "affiliate">): string {
  const id = encodeURIComponent(object.id);
  switch (object.kind) {
    case "affiliate":
      return affiliate ? `/affiliates/${encodeURIComponent(affiliate.key)}` : "/affiliates";
    case "api_key":
      return withQuery("/settings/api-keys", { q: object.id });
    case "delivery":
      return `/deliveries/${id}`;
    case "endpoint":
      return `/endpoints/${id}`;
    case "event":
      return `/events/${id}`;
    case "event_type":
      return `/event-types/${id}`;
    case "invitation":
      return "/settings/invitations";
    case "portal_link":
    case "setup_link":
      return withQuery("/audit", { object_kind: object.kind, object_id: object.id });
    case "user":
      return withQuery("/settings/users", { q: object.id });
    case "requeue":
      return `/requeues/${id}`;
  }
}
