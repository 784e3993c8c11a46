import { route } from "#lib/api/route.ts";
import { auditFilters } from "#lib/audit/schema.ts";
import { exportAuditLog } from "#lib/audit/service.ts";

export const GET = route({
  auth: "api_key",
  may: "audit.read",
  csvName: "audit.csv",
  query: auditFilters,
  handler: ({ actor, query }) => exportAuditLog(actor, query),
});
