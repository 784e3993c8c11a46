import type { Role } from "#lib/vocabulary.ts";

/** Where each role's first question is answered (product.md, "Who uses it"). */
export function landingPath(role: Role): string {
  switch (role) {
    case "affiliate":
      return "/portal";
    case "support":
      return "/endpoints?view=failing";
    case "ops":
      return "/dead-letters";
    case "admin":
      return "/overview";
  }
}
