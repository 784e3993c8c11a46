import { route } from "#lib/api/route.ts";
import { auditListQuery } from "#lib/audit/schema.ts";
import { listAuditEntries } from "#lib/audit/service.ts";

export const GET = route({
  auth: "api_key",
  may: "audit.read",
  query: auditListQuery,
  handler: ({ actor, query }) => listAuditEntries(actor, query),
});
